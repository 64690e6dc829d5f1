// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace tutti::engine {

/// A plan, and the runs of it that are not in use.
template <class Transport>
struct planned {
    struct key {
        schedule::operation what;
        std::uint64_t algorithm;
        const void* algorithm_type;
        int root, segments;
        bool in_place, keeps_order;
        friend bool operator==(const key&, const key&) = default;
    };
    using run_pointer = std::unique_ptr<execution<Transport>>;

    key id;
    std::shared_ptr<const schedule::plan> plan;
    std::array<std::vector<run_pointer>, slots> idle{};
    std::size_t in_use = 0; ///< runs and prepared calls that refer to it
    std::uint64_t last_use = 0;
};

/// The plans of one communicator, found again by everything that they depend on; counts are not among it. Bounded:
/// beyond its capacity the one that was not used for longest goes, unless all are in use.
template <class Transport>
class plan_cache {
public:
    using entry = planned<Transport>;
    static constexpr std::size_t capacity = 64;

    /// The plan of a call. A miss costs time linear in the steps of this rank, and a proof if the operator needs rank
    /// order. Throws invalid_argument if the algorithm's schedule is none for the call.
    [[nodiscard]] entry& find(const call& c, int rank, int size) {
        const typename entry::key key{c.what,     c.how.id(), c.how.type(), has_root(c.what) ? c.root : 0,
                                      c.segments, c.in_place, c.keeps_order};
        ++uses_;
        for (const auto& e : entries_)
            if (e->id == key) {
                e->last_use = uses_;
                return *e;
            }
        return added(key, c, {rank, size, key.root, c.in_place});
    }

private:
    /// Apart, since the call that finds its plan is the one that has no time.
    [[nodiscard]] entry& added(const typename entry::key& key, const call& c, const schedule::position& at) {
        if (entries_.size() >= capacity) evict();
        return *entries_.emplace_back(make(key, c, at));
    }
    [[nodiscard]] std::unique_ptr<entry> make(const typename entry::key& key, const call& c,
                                              const schedule::position& at) {
        std::vector<schedule::step> steps;
        c.how.walk(c.what, at, c.segments, steps);
        check(c, at, steps);
        auto plan = std::make_shared<const schedule::plan>(
            schedule::compile(c.what, at, c.how.chunks(at.size), c.segments, std::move(steps)));
        return std::make_unique<entry>(entry{key, std::move(plan), {}, 0, uses_});
    }
    /// What must be right lest memory is harmed or operands change places. That the result is right, verify proves.
    static void check(const call& c, const schedule::position& at, const std::vector<schedule::step>& steps) {
        schedule::program p{c.what, at.size, at.root, at.in_place, c.how.chunks(at.size) * c.segments, {}};
        p.ranks.resize(static_cast<std::size_t>(at.size));
        p.ranks[static_cast<std::size_t>(at.rank)] = steps;
        if (const auto f = schedule::detail::shapes_of(p); f.what != schedule::flaw::none)
            reject(in_words(c), "the schedule is not one: " + message_of(f),
                   "have schedule::verify look at the algorithm");
        if (c.keeps_order && !c.how.preserves_order(c.what, at.size, at.root))
            reject(in_words(c), std::string(c.how.name()) + " does not keep rank order, which the operator needs");
    }
    void evict() {
        auto oldest = entries_.end();
        for (auto e = entries_.begin(); e != entries_.end(); ++e)
            if ((*e)->in_use == 0 && (oldest == entries_.end() || (*e)->last_use < (*oldest)->last_use)) oldest = e;
        if (oldest != entries_.end()) entries_.erase(oldest);
    }

    std::vector<std::unique_ptr<entry>> entries_;
    std::uint64_t uses_ = 0;
};

} // namespace tutti::engine

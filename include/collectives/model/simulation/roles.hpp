// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "role.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// Keeps each role once.
class roles {
public:
    /// The number of an equal role, which is the first of its kind if there was none.
    [[nodiscard]] std::uint32_t number_of(role r) {
        const std::uint64_t hash = hash_of(r);
        const auto [first, last] = known_.equal_range(hash);
        for (auto at = first; at != last; ++at)
            if (all_[at->second] == r) return at->second;
        const auto number = static_cast<std::uint32_t>(all_.size());
        known_.emplace(hash, number);
        steps_ += r.steps.size();
        all_.push_back(std::move(r));
        return number;
    }
    [[nodiscard]] const role& at(std::uint32_t number) const noexcept { return all_[number]; }
    [[nodiscard]] std::size_t steps() const noexcept { return steps_; } ///< of all that are kept
    [[nodiscard]] std::vector<role> take() noexcept { return std::move(all_); }

private:
    std::vector<role> all_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
    std::size_t steps_ = 0;
};

/// The roles of lists of steps that have been seen, so that the order of equal ones is worked out once.
class seen_steps {
public:
    using steps = std::vector<schedule::step>;

    [[nodiscard]] std::uint32_t find(const steps& s) const {
        const auto [first, last] = known_.equal_range(hash_of(s));
        for (auto at = first; at != last; ++at)
            if (at->second.first == s) return at->second.second;
        return none;
    }
    /// Forgets it where there are many already: then these ranks are hardly alike.
    void keep(const steps& s, std::uint32_t role) {
        constexpr std::size_t enough = std::size_t{1} << 20;
        if (kept_ + s.size() > enough) return;
        kept_ += s.size();
        known_.emplace(hash_of(s), std::pair(s, role));
    }

private:
    [[nodiscard]] static std::uint64_t hash_of(const steps& all) noexcept {
        std::uint64_t h = 0xcbf29ce484222325; // FNV-1a
        const auto add = [&h](int x) { h = (h ^ static_cast<std::uint32_t>(x)) * 0x100000001b3; };
        for (const schedule::step& s : all) {
            add(s.peer);
            for (const schedule::place* x : {&s.from, &s.to}) {
                add(x->first);
                add(x->count);
            }
        }
        return h;
    }

    std::unordered_multimap<std::uint64_t, std::pair<steps, std::uint32_t>> known_;
    std::size_t kept_ = 0;
};

} // namespace tutti::model::detail

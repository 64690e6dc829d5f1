// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "other_servers.hpp"
#include "replica.hpp"
#include "saves.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// One server's copies of segments. `Output`: see replica.
template <update_rule Rule, class Output>
class replica_set {
public:
    using content = shard<Rule>;
    using copy = replica<Rule, Output>;

    /// The others must outlive it.
    replica_set(Output& out, const placement& where, const other_servers& others, int self, Rule rule, bool is_bulk)
        : out_(out), where_(where), others_(others), self_(self), rule_(rule), is_bulk_(is_bulk) {
        for (std::uint32_t g = 0; g < where.segments(); ++g) {
            const auto chain = where.chain_of(g);
            if (std::find(chain.begin(), chain.end(), self) != chain.end()) add(g);
        }
    }

    /// Null if it is not here.
    [[nodiscard]] copy* find(std::uint32_t segment) noexcept {
        const auto at = of_.find(segment);
        return at == of_.end() ? nullptr : &at->second;
    }
    [[nodiscard]] std::vector<float> values(std::uint32_t segment) const {
        const auto at = of_.find(segment);
        return at == of_.end() ? std::vector<float>() : at->second.content().data().values;
    }
    [[nodiscard]] bool is_busy() const noexcept {
        return std::any_of(of_.begin(), of_.end(), [](const auto& r) { return r.second.is_busy(); });
    }

    /// The clocks that all workers have ended end, where this server is the head.
    void close_clocks(std::uint64_t slowest) {
        for (auto& [g, r] : of_)
            while (r.is_head() && r.content().data().closed < slowest) r.close();
    }
    /// So many clocks have ended wherever this server is the head.
    [[nodiscard]] bool has_closed(std::uint64_t clocks) const noexcept {
        return std::all_of(of_.begin(), of_.end(), [clocks](const auto& r) {
            return !r.second.is_head() || r.second.content().data().closed >= clocks;
        });
    }
    void lose(int server) {
        for (auto& [g, r] : of_) r.lose(server);
    }
    void finish() {
        for (auto& [g, r] : of_) r.finish();
    }

    /// What another server has sent of a segment. Null, or what is wrong with it.
    [[nodiscard]] const char* take(packet&& p, int from) {
        copy* at = find(p.head.segment);
        if (p.head.what == action::state) {
            if (!at && p.head.segment < where_.segments()) (at = &add(p.head.segment))->be_new();
            return at && at->adopt(p, from) ? nullptr : "what is no state of a segment";
        }
        if (!at) return "an update of a segment that is not kept here";
        if (p.head.what == action::ack) return at->acknowledged(p.head.number), nullptr;
        return at->forwarded(std::move(p), from) ? nullptr : "an update without the one before it";
    }

    /// What this server is the head of.
    [[nodiscard]] std::map<std::uint32_t, shard_data<Rule>> own() const {
        std::map<std::uint32_t, shard_data<Rule>> all;
        for (const auto& [g, r] : of_)
            if (r.is_head()) all.emplace(g, r.content().data());
        return all;
    }
    /// Throws checkpoint_error, and has changed nothing then.
    void restore(const std::vector<std::string>& files) {
        std::map<std::uint32_t, shard_data<Rule>> found;
        for (const auto& file : last_whole_save<Rule>(files, where_))
            for (const auto& s : file.segments()) {
                const auto g = static_cast<std::uint32_t>(s.head.segment);
                const auto at = found.find(g);
                // Two files have it if its head died during the save.
                if (find(g) && (at == found.end() || at->second.updates < s.head.updates))
                    found.insert_or_assign(g, file.template values_of<Rule>(s));
            }
        for (auto& [g, r] : of_) r.content().restore(std::move(found.at(g)));
    }

private:
    copy& add(std::uint32_t g) {
        std::vector<int> alive = where_.order_of(g);
        std::erase_if(alive, [this](int s) { return others_.is_lost(s); });
        const auto& l = where_.layout();
        return of_
            .try_emplace(g, out_, g, std::move(alive), static_cast<std::size_t>(l.copies), self_, l.workers.size(),
                         content(rule_, where_.keys_of(g).count, is_bulk_))
            .first->second;
    }

    Output& out_;
    const placement& where_;
    const other_servers& others_;
    int self_;
    Rule rule_;
    bool is_bulk_;
    std::map<std::uint32_t, copy> of_; ///< by segment
};

} // namespace tutti::training::server::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/lowering/pack.hpp"
#include "../collective.hpp"
#include "../counts/cut.hpp"
#include "../rank_nodes.hpp"
#include "graph.hpp"
#include "roles.hpp"
#include "settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tutti::model::detail {

/// Makes the graph of a collective: walks the steps of each rank once, and works out an order once for all that are
/// alike.
class builder {
public:
    builder(const collective& c, const rank_nodes& nodes, const simulation_settings& s)
        : c_(c), nodes_(nodes), limits_(s), slot_of_(static_cast<std::size_t>(c.size), none), cut_(c) {
        graph_.size = c.size;
    }

    /// Throws tutti::error(invalid_argument) where there would be too many messages.
    [[nodiscard]] graph step_by_step() {
        for (int r = 0; r < c_.size; ++r) {
            add_rank(r, [&](const schedule::place& x) { return static_cast<std::size_t>(cut_.bytes(x)); });
            for (const int peer : peers_)
                graph_.slot_list.push_back({static_cast<std::uint32_t>(peer), 0, node(peer) == node(r) ? 0U : 1U});
            if (!fits()) too_many();
        }
        finish();
        link_slots(graph_);
        return std::move(graph_);
    }

    /// One rank for all: for a message to rank + d it gets one from rank - d. Others wait for who has the longest
    /// chunk.
    [[nodiscard]] graph by_symmetry() {
        const auto number = [](int n) { return static_cast<std::size_t>(n); };
        const std::size_t elements = c_.bytes / c_.element_bytes * number(schedule::vectors_of(c_.what, c_.size));
        const std::size_t pieces = number(c_.how.chunks(c_.what, c_.size)) * number(c_.segments);
        const std::size_t longest = (elements + pieces - 1) / pieces * c_.element_bytes;
        add_rank(0, [&](const schedule::place& x) { return longest * number(x.count); });
        number_peers();
        const role& all = roles_.at(graph_.ranks.front().role);
        for (const int peer : peers_) {
            const std::uint32_t back = slot_of_[static_cast<std::size_t>(c_.size - peer)];
            if (back == none || all.sends[slot_of_[static_cast<std::size_t>(peer)]] != all.receives_from(back))
                not_matched(0, static_cast<std::size_t>(peer));
            graph_.slot_list.push_back(
                {static_cast<std::uint32_t>(peer), back & 0x7fffffff, node(peer) == node(0) ? 0U : 1U});
        }
        graph_.by_symmetry = true;
        finish();
        return std::move(graph_);
    }

private:
    [[nodiscard]] int node(int rank) const noexcept { return nodes_.node_of(rank); }

    void add_rank(int r, auto&& bytes) {
        steps_.clear();
        c_.how.walk(c_.what, {r, c_.size, c_.root, c_.in_place}, 1, steps_);
        find_peers();
        std::uint32_t role = seen_.find(steps_);
        if (role == none) {
            role = role_of(schedule::packed(segmented()), r, bytes);
            seen_.keep(steps_, role);
        }
        graph_.ranks.push_back({role, static_cast<std::uint32_t>(node(r)), static_cast<std::uint32_t>(graph_.steps),
                                static_cast<std::uint32_t>(graph_.slot_list.size())});
        graph_.steps += roles_.at(role).steps.size();
        graph_.messages += roles_.at(role).sent();
    }

    /// Lists the peers by first use, and has the steps name their places in the list. Sides cost nothing: without them
    /// more steps are alike.
    void find_peers() {
        peers_.clear();
        for (schedule::step& s : steps_) {
            s.other = schedule::side::right;
            if (!schedule::communicates(s)) continue;
            std::uint32_t& slot = slot_of_[static_cast<std::size_t>(s.peer)];
            if (slot == none) {
                slot = static_cast<std::uint32_t>(peers_.size());
                peers_.push_back(s.peer);
            }
            s.peer = static_cast<int>(slot);
        }
        for (const int peer : peers_) slot_of_[static_cast<std::size_t>(peer)] = none;
    }
    void number_peers() {
        for (std::size_t k = 0; k < peers_.size(); ++k)
            slot_of_[static_cast<std::size_t>(peers_[k])] = static_cast<std::uint32_t>(k);
    }

    [[nodiscard]] std::vector<schedule::step> segmented() const {
        std::vector<schedule::step> all;
        all.reserve(steps_.size() * static_cast<std::size_t>(c_.segments));
        const algorithm::step_writer write(all, c_.segments);
        for (const schedule::step& s : steps_) write(s);
        return all;
    }

    [[nodiscard]] std::uint32_t role_of(const std::vector<schedule::step>& steps, int r, auto&& bytes) {
        std::vector<std::uint32_t> lengths;
        lengths.reserve(steps.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            std::size_t all = 0; // parts of a message are one
            for (std::size_t k = schedule::leads(steps, i) ? schedule::parts_from(steps, i) : 0; k-- > 0;)
                all += bytes(steps[i + k].what == schedule::action::receive ? steps[i + k].to : steps[i + k].from);
            lengths.push_back(length(all));
        }
        const int slot_count = static_cast<int>(peers_.size());
        auto order = schedule::order_of(c_.what, {r, c_.size, c_.root, c_.in_place},
                                        c_.how.chunks(c_.what, c_.size) * c_.segments, steps, slot_count);
        return roles_.number_of(make_role(steps, std::move(order), lengths, peers_.size()));
    }
    [[nodiscard]] std::uint32_t length(std::size_t bytes) {
        const auto [at, is_new] = length_of_.try_emplace(bytes, static_cast<std::uint32_t>(graph_.lengths.size()));
        if (is_new) graph_.lengths.push_back(bytes);
        return at->second;
    }

    /// Steps are numbered in 32 bits; a step of a role takes some 50 bytes, so that a million is never too much.
    [[nodiscard]] bool fits() const noexcept {
        constexpr std::size_t few_steps = 1'000'000;
        return graph_.messages <= limits_.most_messages &&
               roles_.steps() <= std::max(limits_.most_messages / 2, few_steps) && graph_.steps < none;
    }
    void finish() { graph_.roles = roles_.take(); }

    [[noreturn]] void too_many() const {
        reject("simulate",
               std::string(c_.how.name()) + " of " + std::to_string(c_.size) + " ranks has more than " +
                   std::to_string(limits_.most_messages) +
                   " messages, or as many steps of which no two ranks' are alike",
               "take its closed form, or fewer ranks; most_messages raises the limit");
    }

    const collective& c_;
    rank_nodes nodes_;
    const simulation_settings& limits_;
    std::vector<std::uint32_t> slot_of_; ///< by rank; none but while in use
    cut cut_;
    graph graph_;
    roles roles_;
    seen_steps seen_;
    std::vector<schedule::step> steps_; ///< of the rank at hand, before segmentation
    std::vector<int> peers_;            ///< its peers, by slot
    std::unordered_map<std::size_t, std::uint32_t> length_of_;
};

} // namespace tutti::model::detail

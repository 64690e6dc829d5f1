// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::schedule {

/// On which node each rank lies. Nodes are numbered by their first ranks. *Seats* count the ranks node by node: first
/// those of node 0, in their order, then those of node 1, and so on.
class placement {
public:
    /// `nodes[r]` is the node of rank r, by any number; there is a rank at least. Takes n log n time;
    /// all that follows takes constant time.
    explicit placement(std::span<const int> nodes) : node_of_(nodes.size()), seat_of_(nodes.size()) {
        std::vector<int> known(nodes.begin(), nodes.end()); // the caller's numbers
        std::sort(known.begin(), known.end());
        known.erase(std::unique(known.begin(), known.end()), known.end());
        std::vector<int> ours(known.size(), -1); // for each of them
        for (std::size_t r = 0, met = 0; r < nodes.size(); ++r) {
            int& n =
                ours[static_cast<std::size_t>(std::lower_bound(known.begin(), known.end(), nodes[r]) - known.begin())];
            if (n < 0) n = static_cast<int>(met++);
            node_of_[r] = n;
        }
        first_.assign(known.size() + 1, 0);
        for (const int n : node_of_) ++first_[static_cast<std::size_t>(n) + 1];
        for (std::size_t n = 0; n < known.size(); ++n) first_[n + 1] += first_[n];
        std::vector<int> next(first_.begin(), first_.end() - 1);
        rank_at_.resize(nodes.size());
        for (std::size_t r = 0; r < nodes.size(); ++r) {
            seat_of_[r] = next[static_cast<std::size_t>(node_of_[r])]++;
            rank_at_[static_cast<std::size_t>(seat_of_[r])] = static_cast<int>(r);
        }
        for (int n = 0; n < this->nodes(); ++n) most_ = std::max(most_, ranks_of(n));
        width_ = found_width();
        in_order_ = std::is_sorted(node_of_.begin(), node_of_.end());
        for (const int n : node_of_) id_ = (id_ ^ (static_cast<std::uint32_t>(n) + 1)) * 0x100000001b3; // FNV-1a
    }

    /// The number of ranks.
    [[nodiscard]] int size() const noexcept { return static_cast<int>(node_of_.size()); }
    /// The number of nodes.
    [[nodiscard]] int nodes() const noexcept { return static_cast<int>(first_.size()) - 1; }
    /// The node of a rank.
    [[nodiscard]] int node_of(int rank) const noexcept { return node_of_[static_cast<std::size_t>(rank)]; }
    /// The rank that has a seat.
    [[nodiscard]] int rank_at(int seat) const noexcept { return rank_at_[static_cast<std::size_t>(seat)]; }
    /// The seat of a rank.
    [[nodiscard]] int seat_of(int rank) const noexcept { return seat_of_[static_cast<std::size_t>(rank)]; }
    /// The first seat of a node; that of node `nodes()` is `size()`.
    [[nodiscard]] int first_seat(int node) const noexcept { return first_[static_cast<std::size_t>(node)]; }
    /// How many ranks are on a node.
    [[nodiscard]] int ranks_of(int node) const noexcept { return first_seat(node + 1) - first_seat(node); }

    /// The ranks of the largest node.
    [[nodiscard]] int most() const noexcept { return most_; }
    /// All nodes have as many ranks.
    [[nodiscard]] bool even() const noexcept { return most_ * nodes() == size(); }
    /// So many ranks does each node have, the last one perhaps fewer. 0 where it is not so.
    [[nodiscard]] int width() const noexcept { return width_; }
    /// Each rank has the seat of its number: ranks of a node are consecutive.
    [[nodiscard]] bool in_order() const noexcept { return in_order_; }
    /// Tells placements apart; equal on all ranks that have equal ones.
    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

    /// "ranks on nodes 0 1 0 1".
    [[nodiscard]] std::string in_words() const {
        constexpr int few = 32;
        if (size() > few) return std::to_string(nodes()) + " nodes, placement " + std::to_string(id());
        std::string text = "ranks on nodes";
        for (const int n : node_of_) text += " " + std::to_string(n);
        return text;
    }
    friend bool operator==(const placement& a, const placement& b) noexcept { return a.node_of_ == b.node_of_; }

private:
    [[nodiscard]] int found_width() const noexcept {
        const int width = ranks_of(0);
        for (int n = 1; n + 1 < nodes(); ++n)
            if (ranks_of(n) != width) return 0;
        return ranks_of(nodes() - 1) <= width ? width : 0;
    }

    std::vector<int> node_of_, seat_of_; ///< by rank
    std::vector<int> rank_at_;           ///< by seat
    std::vector<int> first_;             ///< by node
    int most_ = 0, width_ = 0;
    bool in_order_ = true;
    std::uint64_t id_ = 0xcbf29ce484222325;
};

} // namespace tutti::schedule

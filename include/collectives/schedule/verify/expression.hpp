// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/language.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::schedule::detail {

/// Hash-consed, ordered expressions over the ranks' inputs: equal numbers mean the same bits. All of it is about one
/// chunk id at a time, since data never changes its chunk id. Nodes 0 to ranks-1 are the inputs.
class expressions {
public:
    /// A node of many operands is a chain of pairs, of which all but the last are unfinished: not rounded yet, hence
    /// other nodes than the same pairs would be by themselves.
    struct node {
        int left = -1, right = -1; ///< -1 for an input
        bool finished = true;
        int rank = -1, step = -1; ///< the step that made it first
        int lowest = 0, highest = 0;
        bool in_rank_order = true; ///< its inputs are lowest, lowest + 1 ... highest, from left to right
    };

    TUTTI_CONSTEXPR explicit expressions(int ranks) : table_(64, -1) {
        for (int r = 0; r < ranks; ++r) nodes_.push_back({-1, -1, true, r, -1, r, r, true});
    }

    [[nodiscard]] TUTTI_CONSTEXPR const node& operator[](int n) const { return nodes_[static_cast<std::size_t>(n)]; }
    [[nodiscard]] constexpr std::size_t size() const { return nodes_.size(); }

    /// left ∘ right, as made by a rank's step.
    TUTTI_CONSTEXPR int combine(int left, int right, int rank, int step, bool finished = true) {
        if (2 * nodes_.size() > table_.size()) grow();
        const std::size_t at = slot(left, right, finished);
        if (table_[at] >= 0) return table_[at];
        const node &l = (*this)[left], &r = (*this)[right];
        nodes_.push_back({left, right, finished, rank, step, l.lowest, r.highest,
                          l.in_rank_order && r.in_rank_order && l.highest + 1 == r.lowest});
        return table_[at] = static_cast<int>(nodes_.size()) - 1;
    }

    /// The number of left ∘ right; -1: no step has made it.
    [[nodiscard]] TUTTI_CONSTEXPR int find(int left, int right, bool finished) const {
        return table_[slot(left, right, finished)];
    }

    /// How often each rank's input is in it.
    [[nodiscard]] TUTTI_CONSTEXPR std::vector<int> inputs_of(int n, int ranks) const {
        std::vector<int> times(static_cast<std::size_t>(ranks), 0), open{n};
        while (!open.empty()) {
            const node& x = (*this)[open.back()];
            const int input = x.left < 0 ? open.back() : -1;
            open.pop_back();
            if (input >= 0 && ++times[static_cast<std::size_t>(input)] > 2) break; // a doubled one is enough
            if (input < 0) open.push_back(x.left), open.push_back(x.right);
        }
        return times;
    }

private:
    [[nodiscard]] TUTTI_CONSTEXPR std::size_t slot(int left, int right, bool finished) const {
        std::uint64_t h = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                          static_cast<std::uint64_t>(static_cast<std::uint32_t>(right)) << 1 | (finished ? 1 : 0);
        h ^= h >> 31;
        h *= 0x9e3779b97f4a7c15;
        h ^= h >> 29;
        std::size_t at = h & (table_.size() - 1);
        while (table_[at] >= 0 && !is((*this)[table_[at]], left, right, finished)) at = (at + 1) & (table_.size() - 1);
        return at;
    }
    [[nodiscard]] static constexpr bool is(const node& n, int left, int right, bool finished) {
        return n.left == left && n.right == right && n.finished == finished;
    }
    TUTTI_CONSTEXPR void grow() {
        table_.assign(4 * table_.size(), -1);
        for (int n = 0; n < static_cast<int>(nodes_.size()); ++n)
            if (const node& x = (*this)[n]; x.left >= 0) table_[slot(x.left, x.right, x.finished)] = n;
    }

    std::vector<node> nodes_;
    std::vector<int> table_; ///< open addressing, a power of two in size
};

} // namespace tutti::schedule::detail

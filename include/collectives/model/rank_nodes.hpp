// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../choice/topology.hpp"

namespace tutti::model {

/// On which node each rank is: so many consecutive ones share a node, or they lie as a topology says, which must
/// outlive it.
class rank_nodes {
public:
    /// So many consecutive ranks share a node.
    rank_nodes(int consecutive) noexcept : width_(consecutive) {} // NOLINT: mostly a number says it
    /// Ranks lie as the topology says.
    rank_nodes(const topology& on) noexcept : width_(on.ranks_per_node), placed_(on.placed.get()) {} // NOLINT

    /// The node of a rank.
    [[nodiscard]] int node_of(int rank) const noexcept { return placed_ ? placed_->node_of(rank) : rank / width_; }
    /// The k-th rank of the first node.
    [[nodiscard]] int on_first(int k) const noexcept { return placed_ ? placed_->rank_at(k) : k; }
    /// How many of `size` ranks are on the first node.
    [[nodiscard]] int ranks_on_first(int size) const noexcept {
        return placed_ ? placed_->ranks_of(0) : width_ < size ? width_ : size;
    }
    /// Of the largest node; it may be more than there are.
    [[nodiscard]] int most() const noexcept { return width_; }
    /// Nodes are of consecutive ranks, equally many but perhaps for the last.
    [[nodiscard]] bool are_blocks() const noexcept { return placed_ == nullptr; }
    /// It is about so many ranks, or about any number.
    [[nodiscard]] bool fit(int size) const noexcept { return width_ >= 1 && (!placed_ || placed_->size() == size); }

private:
    int width_;
    const schedule::placement* placed_ = nullptr;
};

} // namespace tutti::model

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/placement.hpp"

namespace tutti::algorithm {

/// Where nodes of consecutive ranks begin: equally wide but for the last, which may be narrower, or as the seats of a
/// placement, which must outlive it.
class node_bounds {
public:
    constexpr node_bounds(int size, int width) noexcept : size_(size), width_(width) {}
    constexpr explicit node_bounds(const schedule::placement& of) noexcept : placed_(&of) {}

    [[nodiscard]] constexpr int count() const noexcept {
        return placed_ ? placed_->nodes() : (size_ + width_ - 1) / width_;
    }
    /// The first rank of a node; of node `count()`, the number of ranks.
    [[nodiscard]] constexpr int first(int node) const noexcept {
        if (placed_) return placed_->first_seat(node);
        return node < count() ? node * width_ : size_;
    }
    [[nodiscard]] constexpr int ranks(int node) const noexcept { return first(node + 1) - first(node); }
    [[nodiscard]] constexpr int node_of(int rank) const noexcept {
        return placed_ ? placed_->node_of(placed_->rank_at(rank)) : rank / width_;
    }

private:
    int size_ = 0, width_ = 1;
    const schedule::placement* placed_ = nullptr;
};

} // namespace tutti::algorithm

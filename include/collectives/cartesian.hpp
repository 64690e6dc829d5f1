// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

namespace detail {

/// The extents of the smallest largest extent, none above `most`, largest first. Empty: there are none. `factors`: all
/// numbers that divide `ranks`, increasing; and perhaps others.
[[nodiscard]] inline std::vector<int> balanced(int ranks, std::size_t dimensions, int most,
                                               std::span<const int> factors) {
    if (dimensions == 1) return ranks <= most ? std::vector{ranks} : std::vector<int>{};
    for (const int first : factors) {
        if (first > most) break;
        double reach = 1; // of extents up to this one
        for (std::size_t d = 0; d < dimensions; ++d) reach *= first;
        if (reach < ranks || ranks % first != 0) continue;
        auto rest = balanced(ranks / first, dimensions - 1, first, factors);
        if (rest.empty()) continue;
        rest.insert(rest.begin(), first);
        return rest;
    }
    return {};
}

} // namespace detail

/// Extents of a grid of so many ranks that are as near to each other as possible, largest first (MPI_Dims_create).
/// Throws invalid_argument unless both numbers are 1 or more.
[[nodiscard]] inline std::vector<int> dims_create(int ranks, int dimensions) {
    if (ranks < 1 || dimensions < 1)
        reject("dims_create", "there is no grid of " + std::to_string(ranks) + " ranks in " +
                                  std::to_string(dimensions) + " dimensions");
    std::vector<int> factors;
    for (int f = 1; std::int64_t{f} * f <= ranks; ++f) {
        if (ranks % f != 0) continue;
        factors.push_back(f);
        if (f != ranks / f) factors.push_back(ranks / f);
    }
    std::sort(factors.begin(), factors.end());
    return detail::balanced(ranks, static_cast<std::size_t>(dimensions), ranks, factors);
}

/// Ranks as the points of a grid, the last dimension first: rank = (... * extent(1) + x(1)) * extent(2) + x(2) (as
/// MPI_Cart_create numbers them). A value: it knows no communicator.
///
/// @snippet reference.cpp cartesian
class cartesian {
public:
    /// A grid of these extents. A dimension that is periodic has its last point beside its first one; by default none
    /// is. Throws invalid_argument for an extent below 1, more ranks than an int can tell, and a `periodic` of another
    /// length.
    explicit cartesian(std::vector<int> extents, std::vector<bool> periodic = {})
        : extents_(std::move(extents)), periodic_(std::move(periodic)) {
        if (periodic_.empty()) periodic_.resize(extents_.size());
        if (periodic_.size() != extents_.size())
            reject("cartesian", "not each dimension is said to be periodic or not");
        for (const int extent : extents_) {
            if (extent < 1) reject("cartesian", "an extent is " + std::to_string(extent));
            const std::int64_t all = std::int64_t{size_} * extent;
            if (all > INT32_MAX) reject("cartesian", "the grid has more points than there can be ranks");
            size_ = static_cast<int>(all);
        }
    }

    /// The number of points.
    [[nodiscard]] int size() const noexcept { return size_; }
    /// By dimension.
    [[nodiscard]] std::span<const int> extents() const noexcept { return extents_; }

    /// Where a rank lies, by dimension. Throws invalid_argument for one that is not in the grid.
    [[nodiscard]] std::vector<int> coordinates(int rank) const {
        if (rank < 0 || rank >= size_)
            reject("cartesian", "rank " + std::to_string(rank) + " is none of its " + std::to_string(size_));
        std::vector<int> at(extents_.size());
        for (std::size_t d = at.size(); d-- > 0; rank /= extents_[d]) at[d] = rank % extents_[d];
        return at;
    }
    /// The rank that lies there. Coordinates of periodic dimensions may be any. Nothing: beyond the grid. Throws
    /// invalid_argument for another number of coordinates.
    [[nodiscard]] std::optional<int> rank(std::span<const int> at) const {
        if (at.size() != extents_.size())
            reject("cartesian", std::to_string(at.size()) + " coordinates are given, for " +
                                    std::to_string(extents_.size()) + " dimensions");
        int found = 0;
        for (std::size_t d = 0; d < at.size(); ++d) {
            std::int64_t x = at[d];
            if (periodic_[d]) x = (x % extents_[d] + extents_[d]) % extents_[d];
            if (x < 0 || x >= extents_[d]) return std::nullopt;
            found = found * extents_[d] + static_cast<int>(x);
        }
        return found;
    }
    /// The rank that lies so many points further in a dimension (the target of MPI_Cart_shift). Nothing: beyond the
    /// grid. Throws invalid_argument for a rank or a dimension that there is not.
    [[nodiscard]] std::optional<int> shift(int of, std::size_t dimension, int distance) const {
        auto at = coordinates(of);
        if (dimension >= at.size()) reject("cartesian", "there is no dimension " + std::to_string(dimension));
        const std::int64_t to = std::int64_t{at[dimension]} + distance, extent = extents_[dimension];
        if (!periodic_[dimension] && (to < 0 || to >= extent)) return std::nullopt;
        at[dimension] = static_cast<int>((to % extent + extent) % extent);
        return rank(at);
    }

private:
    std::vector<int> extents_;
    std::vector<bool> periodic_;
    int size_ = 1;
};

} // namespace tutti

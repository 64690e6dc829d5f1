// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "sparse_allreduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tutti::training::compressed {

namespace detail {
/// How many of `n` elements a share is: one at least, rounded up.
[[nodiscard]] inline std::size_t count_of(double share, std::size_t n) {
    if (!(share > 0 && share <= 1)) reject("compressor", "a share is more than 0 and at most 1");
    return std::min(n, static_cast<std::size_t>(std::ceil(share * static_cast<double>(n))));
}
} // namespace detail

/// The `count` elements of largest magnitude. Of equal ones those with lower indices are taken. NaN counts as larger
/// than all numbers, so it is not hidden. Precondition: there are at most 2^32 - 1 elements. Cost: linear in the
/// elements on average.
[[nodiscard]] inline sparse_vector largest(std::span<const float> of, std::size_t count) {
    sparse_vector result{of.size(), std::vector<std::uint32_t>(of.size()), {}};
    count = std::min(count, of.size());
    std::iota(result.indices.begin(), result.indices.end(), std::uint32_t{0});
    const auto magnitude = [of](std::uint32_t i) { return std::bit_cast<std::uint32_t>(of[i]) & 0x7fffffffU; };
    const auto comes_first = [&](std::uint32_t i, std::uint32_t j) {
        return magnitude(i) != magnitude(j) ? magnitude(i) > magnitude(j) : i < j;
    };
    const auto end = result.indices.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(result.indices.begin(), end, result.indices.end(), comes_first);
    result.indices.erase(end, result.indices.end());
    std::ranges::sort(result.indices);
    for (const std::uint32_t i : result.indices) result.values.push_back(of[i]);
    return result;
}

/// Sends the elements of largest magnitude, each rank its own. For use with error_feedback. A compressor.
/// Cost: that of sparse_allreduce. Sources: Aji and Heafield, Sparse communication for distributed gradient descent,
/// 2017; SparCML, Renggli et al. 2019.
struct top_k {
    double share = 0.01;    ///< of the elements, more than 0 and at most 1; one element is sent at least
    sparse_options by = {}; ///< how they travel
    /// See compressor.
    [[nodiscard]] std::array<double, 1> numbers() const noexcept { return {share}; }

    /// See compressor. Throws as sparse_allreduce.
    template <class Communicator>
    traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) const {
        const sparse_vector mine = largest(data, detail::count_of(share, data.size()));
        mine.put(sent);
        const traffic cost = sparse_allreduce(ranks, mine, data, by);
        const float part = 1.0F / static_cast<float>(ranks.size());
        for (float& x : data) x *= part;
        return cost;
    }
};

} // namespace tutti::training::compressed

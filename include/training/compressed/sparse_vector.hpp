// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace tutti::training::compressed {

/// A vector of which only some elements are given. The others are zero.
struct sparse_vector {
    std::size_t dimension = 0;          ///< elements of the vector, at most 2^32 - 1
    std::vector<std::uint32_t> indices; ///< of the elements that are given, ascending
    std::vector<float> values;          ///< theirs

    /// Throws invalid_argument unless it is as above.
    void examine() const {
        if (dimension > std::numeric_limits<std::uint32_t>::max())
            reject("sparse_vector", "a dimension of " + std::to_string(dimension) + " is beyond 32 bits");
        if (indices.size() != values.size())
            reject("sparse_vector",
                   std::to_string(indices.size()) + " indices for " + std::to_string(values.size()) + " values");
        if (!indices.empty() && indices.back() >= dimension)
            reject("sparse_vector", "index " + std::to_string(indices.back()) + " is beyond a dimension of " +
                                        std::to_string(dimension));
        if (std::ranges::adjacent_find(indices, std::ranges::greater_equal{}) != indices.end())
            reject("sparse_vector", "indices must ascend");
    }
    /// Writes the whole vector, with its zeros. Precondition: `to` has `dimension` elements.
    void put(std::span<float> to) const {
        std::ranges::fill(to, 0.0F);
        for (std::size_t i = 0; i < indices.size(); ++i) to[indices[i]] = values[i];
    }
};

} // namespace tutti::training::compressed

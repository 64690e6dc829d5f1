// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/network/network.hpp"

#include <vector>

namespace tutti::tools::study::pipeline {

/// Cuts a multilayer perceptron of as many full layers as stages can share evenly. A rectifier stays with the full
/// layer before it.
[[nodiscard]] inline std::vector<neural::layer_range> even_chunks(const neural::network& of, std::size_t count) {
    const std::size_t full = (of.size() + 1) / 2;
    std::vector<neural::layer_range> chunks;
    for (std::size_t c = 0; c < count; ++c)
        chunks.push_back({2 * (full * c / count), std::min(2 * (full * (c + 1) / count), of.size())});
    return chunks;
}

} // namespace tutti::tools::study::pipeline

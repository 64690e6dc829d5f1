// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "network/network.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::tools {

/// Cuts a network into `count` chunks of consecutive layers with about as many weights each, which are most of what a
/// row costs. Each chunk has a layer at least. Throws std::invalid_argument if there are too few.
[[nodiscard]] inline std::vector<neural::layer_range> chunks_of_layers(const neural::network& of, std::size_t count) {
    if (count > of.size())
        throw std::invalid_argument("a network of " + std::to_string(of.size()) + " layers has no " +
                                    std::to_string(count) +
                                    " chunks: a layer without weights, as ReLU, counts too; give it more layers, or "
                                    "take fewer stages or chunks");
    std::vector<neural::layer_range> chunks;
    std::size_t begin = 0;
    for (std::size_t c = 0; c < count; ++c) {
        const std::size_t most = of.size() - (count - c - 1), wanted = of.parameters() * (c + 1) / count;
        std::size_t end = begin + 1;
        // A layer belongs to the chunk that has more than half of it where the cut is wanted.
        while (end < most && (c + 1 == count || of.offset(end) + of.offset(end + 1) <= 2 * wanted)) ++end;
        chunks.push_back({begin, end});
        begin = end;
    }
    return chunks;
}

/// Those of one stage: chunk c is on stage c modulo stages.
[[nodiscard]] inline std::vector<neural::layer_range> chunks_of_stage(std::span<const neural::layer_range> all,
                                                                      int stages, int stage) {
    std::vector<neural::layer_range> own;
    for (auto c = static_cast<std::size_t>(stage); c < all.size(); c += static_cast<std::size_t>(stages))
        own.push_back(all[c]);
    return own;
}

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layer_pass.hpp"
#include "rank_grid.hpp"

#include <bit>

namespace tutti::tools {

/// FNV-1a over the bits of a model's weights, chunk after chunk, and of a chunk part after part. So a pipeline has the
/// hash of a single rank with the same weights. Chunk c of so many is on stage c modulo stages. Collective.
template <class Communicator>
[[nodiscard]] std::uint64_t hash_of_weights(const rank_grid<Communicator>& grid, std::span<layer_pass> own,
                                            std::size_t chunks) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (std::size_t c = 0; c < chunks; ++c) {
        const auto stage = static_cast<int>(c) % grid.of.stages;
        for (int part = 0; part < grid.of.tensor; ++part) {
            if (stage == grid.stages.rank() && part == grid.tensor.rank())
                own[c / static_cast<std::size_t>(grid.of.stages)].each_layer([&h](std::span<const float> weights) {
                    for (const float w : weights) h = (h ^ std::bit_cast<std::uint32_t>(w)) * 0x100000001b3;
                });
            h = grid.tensor.broadcast(h, part);
        }
        h = grid.stages.broadcast(h, stage);
    }
    return h;
}

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "model_part.hpp"
#include "rank_grid.hpp"

#include <bit>

namespace tutti::tools {

namespace detail {
inline void add(std::uint64_t& h, std::span<const float> weights) {
    for (const float w : weights) h = (h ^ std::bit_cast<std::uint32_t>(w)) * 0x100000001b3;
}
inline constexpr std::uint64_t no_weights = 0xcbf29ce484222325;
} // namespace detail

/// FNV-1a over the bits of a model's weights, chunk after chunk, and of a chunk part after part. So a pipeline has the
/// hash of a single rank with the same weights. Chunk c of so many is on stage c modulo stages. Collective.
template <class Communicator>
[[nodiscard]] std::uint64_t hash_of_weights(const rank_grid<Communicator>& grid, std::span<layer_pass> own,
                                            std::size_t chunks) {
    std::uint64_t h = detail::no_weights;
    for (std::size_t c = 0; c < chunks; ++c) {
        const auto stage = static_cast<int>(c) % grid.of.stages;
        for (int part = 0; part < grid.of.tensor; ++part) {
            if (stage == grid.stages.rank() && part == grid.tensor.rank())
                own[c / static_cast<std::size_t>(grid.of.stages)].each_layer(
                    [&h](std::span<const float> weights) { detail::add(h, weights); });
            h = grid.tensor.broadcast(h, part);
        }
        h = grid.stages.broadcast(h, stage);
    }
    return h;
}

/// The same over those weights of this rank's chunks that all ranks of its stage have.
[[nodiscard]] inline std::uint64_t hash_of_common(const model_part& part, std::span<layer_pass> own) {
    std::vector<float> all(part.of().own.parameters()); // zero where the rank has nothing
    for (layer_pass& pass : own) {
        auto to = all.begin() + static_cast<std::ptrdiff_t>(part.of().own.offset(pass.range().first));
        pass.each_layer([&to](std::span<const float> weights) { to = std::ranges::copy(weights, to).out; });
    }
    std::uint64_t h = detail::no_weights;
    for (const auto& r : part.of().cut.common()) detail::add(h, std::span(all).subspan(r.first, r.count));
    return h;
}

} // namespace tutti::tools

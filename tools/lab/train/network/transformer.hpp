// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "attention.hpp"
#include "elementwise.hpp"
#include "embedding.hpp"
#include "layer_norm.hpp"
#include "linear.hpp"
#include "network.hpp"
#include "residual.hpp"

#include <cmath>

namespace tutti::tools::neural {

struct transformer_shape {
    std::size_t characters = 0;
    std::size_t width = 256;
    std::size_t heads = 8; ///< of width / heads columns each
    std::size_t blocks = 4;
    std::size_t context = 128; ///< places of a sequence
};

/// The two layers of a block. `heads` and `inner` are those of this part: all of them, or a share where a block is cut.
struct transformer_block {
    std::size_t width = 0;
    std::size_t heads = 0;
    std::size_t head_width = 0;
    std::size_t inner = 0; ///< columns between the two linear layers
    std::size_t context = 0;
    double gain = 1; ///< of the weights that lead back to the residual

    [[nodiscard]] residual attending() const {
        return {{layer_norm{width}, linear{width, 3 * heads * head_width}, attention{heads, head_width, context},
                 linear{heads * head_width, width, gain}}};
    }
    [[nodiscard]] residual thinking() const {
        return {{layer_norm{width}, linear{width, inner}, gelu{}, linear{inner, width, gain}}};
    }
};

/// The whole block of a shape. What leads back to the residual begins smaller by the square root of the number of
/// residual layers. Throws tutti::error if heads do not divide the width.
[[nodiscard]] inline transformer_block block_of(const transformer_shape& s) {
    if (s.heads == 0 || s.width % s.heads != 0)
        reject("transformer",
               "a width of " + std::to_string(s.width) + " has no " + std::to_string(s.heads) + " equal heads");
    const double gain = 1 / std::sqrt(2. * static_cast<double>(s.blocks));
    return {s.width, s.heads, s.width / s.heads, 4 * s.width, s.context, gain};
}

/// A decoder on characters of such blocks: each place predicts the next character. Normalised before each block
/// (Radford et al. 2019).
template <class Block>
[[nodiscard]] network transformer_of(const transformer_shape& s, const Block& block) {
    std::vector<layer> layers{embedding{s.characters, s.width, s.context}};
    for (std::size_t b = 0; b < s.blocks; ++b) {
        layers.push_back(block.attending());
        layers.push_back(block.thinking());
    }
    layers.push_back(layer_norm{s.width});
    layers.push_back(linear{s.width, s.characters});
    return {1, std::move(layers)};
}

/// That of whole blocks.
[[nodiscard]] inline network transformer(const transformer_shape& s) { return transformer_of(s, block_of(s)); }

} // namespace tutti::tools::neural

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "elementwise.hpp"
#include "linear.hpp"
#include "network.hpp"

#include <numbers>

namespace tutti::tools::neural {

/// A multilayer perceptron: full layers, rectified except for the last. `widths` go from the input to the output, at
/// least two. First weights as He et al. 2015 draw them.
[[nodiscard]] inline network mlp(const std::vector<std::size_t>& widths) {
    if (widths.size() < 2) reject("mlp", "an input and an output are the least");
    std::vector<layer> layers;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
        if (l > 0) layers.push_back(relu{});
        layers.push_back(linear{widths[l], widths[l + 1], std::numbers::sqrt2});
    }
    return {widths.front(), std::move(layers)};
}

} // namespace tutti::tools::neural

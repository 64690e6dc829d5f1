// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layer.hpp"

#include <functional>

/// Layers one after the other. Their weights lie one after the other too.
namespace tutti::tools::neural {

/// Told in backward when the gradient of layer number `layer` is complete. May be empty.
using on_gradient = std::function<void(std::size_t layer)>;

[[nodiscard]] inline std::size_t parameters_of(std::span<const layer> layers) {
    std::size_t total = 0;
    for (const layer& l : layers) total += l.parameters();
    return total;
}

inline void forward(std::span<const layer> layers, std::span<const float> w, const_matrix input, matrix output,
                    saved& kept) {
    kept.inside.resize(layers.size());
    kept.outputs.resize(layers.size() - 1);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        matrix result = output;
        if (l + 1 < layers.size()) {
            const std::size_t columns = layers[l].outputs(input.columns);
            kept.outputs[l].resize(input.rows * columns);
            result = {kept.outputs[l].data(), input.rows, columns};
        }
        const std::size_t own = layers[l].parameters();
        layers[l].forward(w.first(own), input, result, kept.inside[l]);
        w = w.subspan(own);
        input = result;
    }
}

/// `first` is the number that the first layer is told by.
inline void backward(std::span<const layer> layers, std::span<const float> w, const_matrix input, const saved& kept,
                     const_matrix slope, matrix input_slope, std::span<float> w_slope, const on_gradient& told = {},
                     std::size_t first = 0) {
    std::vector<std::size_t> columns{input.columns}; // not of kept.outputs: a batch may have no rows
    for (const layer& l : layers) columns.push_back(l.outputs(columns.back()));
    std::vector<float> slopes, next;
    for (std::size_t l = layers.size(); l-- > 0;) {
        const const_matrix from = l == 0 ? input : const_matrix{kept.outputs[l - 1].data(), input.rows, columns[l]};
        matrix result = input_slope;
        if (l > 0) {
            next.resize(from.rows * from.columns);
            result = {next.data(), from.rows, from.columns};
        }
        const std::size_t own = layers[l].parameters();
        layers[l].backward(w.last(own), from, kept.inside[l], slope, result, w_slope.last(own));
        w = w.first(w.size() - own);
        w_slope = w_slope.first(w_slope.size() - own);
        if (told) told(first + l);
        slopes.swap(next);
        slope = result;
    }
}

} // namespace tutti::tools::neural

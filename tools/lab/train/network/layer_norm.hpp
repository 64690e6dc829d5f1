// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect_inputs.hpp"
#include "layer.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::tools::neural {

/// Each row brought to mean 0 and variance 1, then scaled and shifted by column (Ba, Kiros, Hinton 2016).
struct layer_norm {
    std::size_t width = 0;

    [[nodiscard]] std::string_view name() const { return "layer_norm"; }
    [[nodiscard]] std::size_t parameters() const { return 2 * width; }
    [[nodiscard]] std::vector<tensor> tensors() const { return {{"scale", 1, width}, {"shift", 1, width}}; }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const {
        expect_inputs(name(), width, inputs);
        return width;
    }
    void initialise(std::span<float> w, random_source&) const {
        std::ranges::fill(w.first(width), 1.f);
        std::ranges::fill(w.last(width), 0.f);
    }
    /// Keeps the mean and the inverse deviation of each row.
    void forward(std::span<const float> w, const_matrix input, matrix output, saved& kept) const {
        kept.values.resize(2 * input.rows);
        for (std::size_t i = 0; i < input.rows; ++i) {
            const std::span<const float> x = input.row(i);
            const float mean = sum(width, [&](std::size_t j) { return x[j]; }) / count();
            const float variance = sum(width, [&](std::size_t j) { return (x[j] - mean) * (x[j] - mean); }) / count();
            const float inverse = 1 / std::sqrt(variance + 1e-5f);
            for (std::size_t j = 0; j < width; ++j) output.row(i)[j] = (x[j] - mean) * inverse * w[j] + w[width + j];
            kept.values[2 * i] = mean;
            kept.values[2 * i + 1] = inverse;
        }
    }
    void backward(std::span<const float> w, const_matrix input, const saved& kept, const_matrix slope,
                  matrix input_slope, std::span<float> w_slope) const {
        for (std::size_t i = 0; i < input.rows; ++i) {
            const std::span<const float> x = input.row(i), s = slope.row(i);
            const float mean = kept.values[2 * i], inverse = kept.values[2 * i + 1];
            const auto normal = [&](std::size_t j) { return (x[j] - mean) * inverse; };
            for (std::size_t j = 0; j < width; ++j) {
                w_slope[j] += s[j] * normal(j);
                w_slope[width + j] += s[j];
            }
            if (!input_slope.data) continue;
            const float level = sum(width, [&](std::size_t j) { return s[j] * w[j]; }) / count();
            const float along = sum(width, [&](std::size_t j) { return s[j] * w[j] * normal(j); }) / count();
            for (std::size_t j = 0; j < width; ++j)
                input_slope.row(i)[j] = inverse * (s[j] * w[j] - level - normal(j) * along);
        }
    }

private:
    [[nodiscard]] float count() const { return static_cast<float>(width); }
    template <class Term>
    static float sum(std::size_t terms, Term&& term) {
        float total = 0;
        for (std::size_t j = 0; j < terms; ++j) total += term(j);
        return total;
    }
};

} // namespace tutti::tools::neural

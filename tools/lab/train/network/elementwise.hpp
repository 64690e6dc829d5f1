// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layer.hpp"

#include <algorithm>
#include <cmath>

/// Layers that treat each number by itself. They have no parameters, and keep nothing but their input.
namespace tutti::tools::neural {

/// `Function::value(x)` and its derivative `Function::slope(x)`.
template <class Function>
struct elementwise {
    [[nodiscard]] std::string_view name() const { return Function::name; }
    [[nodiscard]] std::size_t parameters() const { return 0; }
    [[nodiscard]] std::vector<tensor> tensors() const { return {}; }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const { return inputs; }
    void initialise(std::span<float>, random_source&) const {}
    void forward(std::span<const float>, const_matrix input, matrix output, saved&) const {
        for (std::size_t i = 0; i < input.rows; ++i)
            std::ranges::transform(input.row(i), output.row(i).begin(), Function::value);
    }
    void backward(std::span<const float>, const_matrix input, const saved&, const_matrix slope, matrix input_slope,
                  std::span<float>) const {
        if (!input_slope.data) return;
        for (std::size_t i = 0; i < input.rows; ++i)
            std::ranges::transform(input.row(i), slope.row(i), input_slope.row(i).begin(),
                                   [](float x, float s) { return s * Function::slope(x); });
    }
};

struct rectifier {
    static constexpr std::string_view name = "relu";
    static float value(float x) { return std::max(x, 0.f); }
    static float slope(float x) { return x > 0 ? 1.f : 0.f; }
};

/// x times a sigmoid, the form of the tanh approximation that needs one exponential (Hendrycks, Gimpel 2016).
struct gaussian_error {
    static constexpr std::string_view name = "gelu";
    static float value(float x) { return x * gate(x); }
    static float slope(float x) {
        const float g = gate(x);
        return g + x * g * (1 - g) * twice_root * (1 + 3 * cubic * x * x);
    }

private:
    static constexpr float twice_root = 1.5957691216f; // 2 sqrt(2 / pi)
    static constexpr float cubic = 0.044715f;
    static float gate(float x) { return 1 / (1 + std::exp(-twice_root * (x + cubic * x * x * x))); }
};

using relu = elementwise<rectifier>;
using gelu = elementwise<gaussian_error>;

} // namespace tutti::tools::neural

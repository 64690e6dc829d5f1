// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#pragma once

#include "../../tools/lab/train/network/chain.hpp"

#include "support/catch.hpp"

/// Gradients beside differences of what they are the gradients of.
namespace tools_test {

using namespace tutti::tools;
using namespace tutti::tools::neural;

[[nodiscard]] inline std::vector<float> drawn_floats(std::size_t count, std::uint64_t seed, double bound = 1) {
    random_source random{seed};
    std::vector<float> all(count);
    for (float& v : all) v = static_cast<float>(random.between(-bound, bound));
    return all;
}

/// The slope of a loss by a value. The error of the four points is of fourth order in the step, so the step can be so
/// large that rounding to float counts little.
template <class Loss>
[[nodiscard]] double difference(float& value, Loss&& loss, float step = 0x1p-6f) {
    const float before = value;
    const auto at = [&](float shift) {
        value = before + shift;
        const double result = loss();
        value = before;
        return result;
    };
    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * static_cast<double>(step));
}

/// Rounding of sums of some ten float products, divided by the step, is below 1e-4.
inline void expect_slope(double differences, float slope) {
    REQUIRE(static_cast<double>(slope) == Approx(differences).epsilon(1e-3).margin(1e-3));
}

/// All gradients of a layer for a loss that weighs its outputs at random.
inline void expect_slopes(const layer& tried, std::size_t rows, std::size_t inputs, std::vector<float> x,
                          bool of_inputs = true) {
    const std::size_t outputs = tried.outputs(inputs);
    std::vector<float> w(tried.parameters()), y(rows * outputs);
    random_source random{7};
    tried.initialise(w, random);
    for (float& v : w) v += static_cast<float>(random.between(-.3, .3)); // biases and shifts begin at zero
    const std::vector<float> weights_of_y = drawn_floats(y.size(), 8);
    saved kept;
    const auto loss = [&] {
        tried.forward(w, {x.data(), rows, inputs}, {y.data(), rows, outputs}, kept);
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
            sum += static_cast<double>(y[i]) * static_cast<double>(weights_of_y[i]);
        return sum;
    };
    loss();
    std::vector<float> w_slope(w.size(), 1.f), x_slope(x.size(), 99.f); // added to; overwritten
    const matrix wanted = of_inputs ? matrix{x_slope.data(), rows, inputs} : matrix{};
    tried.backward(w, {x.data(), rows, inputs}, kept, {weights_of_y.data(), rows, outputs}, wanted, w_slope);
    for (std::size_t i = 0; i < w.size(); ++i) expect_slope(difference(w[i], loss), w_slope[i] - 1);
    if (!of_inputs) return;
    for (std::size_t i = 0; i < x.size(); ++i) expect_slope(difference(x[i], loss), x_slope[i]);
    // Without the slope of the input, that of the weights is the same.
    loss(); // what is kept is that of these weights again
    std::vector<float> again(w.size(), 1.f);
    tried.backward(w, {x.data(), rows, inputs}, kept, {weights_of_y.data(), rows, outputs}, {}, again);
    REQUIRE(again == w_slope);
}

} // namespace tools_test

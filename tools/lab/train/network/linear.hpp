// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect_inputs.hpp"
#include "layer.hpp"
#include "matrix.hpp"
#include "uniform.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::tools::neural {

/// output = input weight + bias. The weight lies inputs by outputs: a cut by inputs is one piece of memory, and a cut
/// by outputs a block of columns.
struct linear {
    std::size_t in = 0;
    std::size_t out = 0;
    double gain = 1; ///< first weights have a standard deviation of gain / sqrt(inputs)
    bool bias = true;

    [[nodiscard]] std::string_view name() const { return "linear"; }
    [[nodiscard]] std::size_t parameters() const { return in * out + (bias ? out : 0); }
    [[nodiscard]] std::vector<tensor> tensors() const {
        std::vector<tensor> all{{"weight", in, out}};
        if (bias) all.push_back({"bias", 1, out});
        return all;
    }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const {
        expect_inputs(name(), in, inputs);
        return out;
    }
    void initialise(std::span<float> w, random_source& random) const {
        fill_evenly(w.first(in * out), gain / std::sqrt(static_cast<double>(in)), random);
        std::ranges::fill(w.subspan(in * out), 0.f);
    }
    void forward(std::span<const float> w, const_matrix input, matrix output, saved&) const {
        if (bias)
            for (std::size_t i = 0; i < output.rows; ++i) std::copy_n(w.data() + in * out, out, output.row(i).data());
        multiply(input, weight(w.data()), output, bias ? 1.f : 0.f);
    }
    void backward(std::span<const float> w, const_matrix input, const saved&, const_matrix slope, matrix input_slope,
                  std::span<float> w_slope) const {
        multiply_left_transposed(input, slope, {w_slope.data(), in, out}, 1);
        if (input_slope.data) multiply_right_transposed(slope, weight(w.data()), input_slope, 0);
        if (!bias) return;
        float* const bias_slope = w_slope.data() + in * out;
        for (std::size_t i = 0; i < slope.rows; ++i)
            for (std::size_t j = 0; j < out; ++j) bias_slope[j] += slope.row(i)[j];
    }

private:
    [[nodiscard]] const_matrix weight(const float* w) const { return {w, in, out}; }
};

} // namespace tutti::tools::neural

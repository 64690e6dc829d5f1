// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect_inputs.hpp"
#include "layer.hpp"
#include "matrix.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::tools::neural {

/// Causal attention of several heads (Vaswani et al. 2017) between the linear layers that make queries, keys and values
/// and that mix the heads. Each place of a sequence looks at itself and those before it.
///
/// The columns of the input lie by head: its queries, its keys, its values, each `head_width` wide. So a part of the
/// heads is a block of columns, and the layer of that part is this one with fewer heads.
struct attention {
    std::size_t heads = 0;
    std::size_t head_width = 0;
    std::size_t context = 0; ///< places of a sequence; the rows are whole sequences

    [[nodiscard]] std::string_view name() const { return "attention"; }
    [[nodiscard]] std::size_t parameters() const { return 0; }
    [[nodiscard]] std::vector<tensor> tensors() const { return {}; }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const {
        expect_inputs(name(), 3 * heads * head_width, inputs);
        return heads * head_width;
    }
    void initialise(std::span<float>, random_source&) const {}

    /// Keeps the shares of attention, context squared numbers for each sequence and head.
    void forward(std::span<const float>, const_matrix input, matrix output, saved& kept) const {
        if (input.rows % context != 0)
            reject("attention",
                   std::to_string(input.rows) + " rows are no whole sequences of " + std::to_string(context));
        kept.values.resize(input.rows * heads * context);
        for (std::size_t s = 0; s < input.rows / context; ++s)
            for (std::size_t h = 0; h < heads; ++h) {
                const matrix shares{kept.values.data() + (s * heads + h) * context * context, context, context};
                multiply_right_transposed(part(input, s, 3 * h), part(input, s, 3 * h + 1), shares, 0);
                for (std::size_t i = 0; i < context; ++i) share_out(shares.row(i), i + 1);
                multiply(shares, part(input, s, 3 * h + 2), part(output, s, h), 0);
            }
    }
    void backward(std::span<const float>, const_matrix input, const saved& kept, const_matrix slope, matrix input_slope,
                  std::span<float>) const {
        if (!input_slope.data) return;
        std::vector<float> space(context * context);
        const matrix share_slope{space.data(), context, context};
        for (std::size_t s = 0; s < input.rows / context; ++s)
            for (std::size_t h = 0; h < heads; ++h) {
                const const_matrix shares{kept.values.data() + (s * heads + h) * context * context, context, context};
                const const_matrix out = part(slope, s, h);
                multiply_left_transposed(shares, out, part(input_slope, s, 3 * h + 2), 0);
                multiply_right_transposed(out, part(input, s, 3 * h + 2), share_slope, 0);
                for (std::size_t i = 0; i < context; ++i) score_slope(share_slope.row(i), shares.row(i), i + 1);
                multiply(share_slope, part(input, s, 3 * h + 1), part(input_slope, s, 3 * h), 0);
                multiply_left_transposed(share_slope, part(input, s, 3 * h), part(input_slope, s, 3 * h + 1), 0);
            }
    }

private:
    template <class Element>
    [[nodiscard]] matrix_of<Element> part(matrix_of<Element> whole, std::size_t sequence, std::size_t number) const {
        return whole.block(sequence * context, context, number * head_width, head_width);
    }
    [[nodiscard]] float scale() const { return 1 / std::sqrt(static_cast<float>(head_width)); }

    /// Scores become shares: softmax over the first `seen`, none for those that come later.
    void share_out(std::span<float> row, std::size_t seen) const {
        const std::span<float> past = row.first(seen);
        const float highest = *std::ranges::max_element(past);
        float sum = 0;
        for (float& v : past) sum += v = std::exp((v - highest) * scale());
        for (float& v : past) v /= sum;
        std::ranges::fill(row.subspan(seen), 0.f);
    }
    /// Gradients by shares become those by scores.
    void score_slope(std::span<float> row, std::span<const float> shares, std::size_t seen) const {
        float along = 0;
        for (std::size_t j = 0; j < seen; ++j) along += row[j] * shares[j];
        for (std::size_t j = 0; j < seen; ++j) row[j] = shares[j] * (row[j] - along) * scale();
        std::ranges::fill(row.subspan(seen), 0.f);
    }
};

} // namespace tutti::tools::neural

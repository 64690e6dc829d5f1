// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect_inputs.hpp"
#include "layer.hpp"
#include "uniform.hpp"

#include <string>

namespace tutti::tools::neural {

/// A vector for each character plus one for its place in the sequence. The input has one column, the character's number
/// as a float; row r is place r modulo `context`. There is no gradient by the input.
struct embedding {
    std::size_t characters = 0;
    std::size_t width = 0;
    std::size_t context = 0; ///< places of a sequence

    [[nodiscard]] std::string_view name() const { return "embedding"; }
    [[nodiscard]] std::size_t parameters() const { return (characters + context) * width; }
    [[nodiscard]] std::vector<tensor> tensors() const {
        return {{"characters", characters, width}, {"places", context, width}};
    }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const {
        expect_inputs(name(), 1, inputs);
        return width;
    }
    void initialise(std::span<float> w, random_source& random) const { fill_evenly(w, 0.1, random); }
    void forward(std::span<const float> w, const_matrix input, matrix output, saved&) const {
        for (std::size_t r = 0; r < input.rows; ++r) {
            const float* const character = w.data() + number(input, r) * width;
            const float* const place = w.data() + (characters + r % context) * width;
            for (std::size_t j = 0; j < width; ++j) output.row(r)[j] = character[j] + place[j];
        }
    }
    void backward(std::span<const float>, const_matrix input, const saved&, const_matrix slope, matrix,
                  std::span<float> w_slope) const {
        for (std::size_t r = 0; r < input.rows; ++r) {
            float* const character = w_slope.data() + number(input, r) * width;
            float* const place = w_slope.data() + (characters + r % context) * width;
            for (std::size_t j = 0; j < width; ++j) {
                character[j] += slope.row(r)[j];
                place[j] += slope.row(r)[j];
            }
        }
    }

private:
    [[nodiscard]] std::size_t number(const_matrix input, std::size_t row) const {
        const float given = input.row(row)[0];
        if (!(given >= 0 && given < static_cast<float>(characters)))
            reject("embedding", "row " + std::to_string(row) + " is " + std::to_string(given) + ", and there are " +
                                    std::to_string(characters) + " characters");
        return static_cast<std::size_t>(given);
    }
};

} // namespace tutti::tools::neural

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chain.hpp"
#include "expect_inputs.hpp"

#include <utility>

namespace tutti::tools::neural {

/// output = input + what some layers make of it (He et al. 2016).
struct residual {
    std::vector<layer> layers;

    [[nodiscard]] std::string_view name() const { return "residual"; }
    [[nodiscard]] std::size_t parameters() const { return parameters_of(layers); }
    [[nodiscard]] std::vector<tensor> tensors() const {
        std::vector<tensor> all;
        for (std::size_t l = 0; l < layers.size(); ++l)
            for (tensor& t : layers[l].tensors()) {
                t.name = std::to_string(l) + "." + std::string(layers[l].name()) + "." + t.name;
                all.push_back(std::move(t));
            }
        return all;
    }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const {
        std::size_t columns = inputs;
        for (const layer& l : layers) columns = l.outputs(columns);
        expect_inputs("the end of a residual block", inputs, columns);
        return inputs;
    }
    void initialise(std::span<float> w, random_source& random) const {
        for (const layer& l : layers) {
            l.initialise(w.first(l.parameters()), random);
            w = w.subspan(l.parameters());
        }
    }
    void forward(std::span<const float> w, const_matrix input, matrix output, saved& kept) const {
        neural::forward(layers, w, input, output, kept);
        add(input, output);
    }
    void backward(std::span<const float> w, const_matrix input, const saved& kept, const_matrix slope,
                  matrix input_slope, std::span<float> w_slope) const {
        neural::backward(layers, w, input, kept, slope, input_slope, w_slope);
        if (input_slope.data) add(slope, input_slope);
    }

private:
    static void add(const_matrix more, matrix to) {
        for (std::size_t i = 0; i < to.rows; ++i)
            for (std::size_t j = 0; j < to.columns; ++j) to.row(i)[j] += more.row(i)[j];
    }
};

} // namespace tutti::tools::neural

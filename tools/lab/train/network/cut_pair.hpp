// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chain.hpp"
#include "linear.hpp"

#include <training/tensor/conjugates.hpp>
#include <training/tensor/weight_cut.hpp>

#include <utility>

namespace tutti::tools::neural {

/// Where the rows are that go into a cut pair and out of it.
enum class rows_at {
    all,  ///< every rank has all rows
    each, ///< rank r has the r-th of equal blocks of rows: sequence parallelism
};

/// A linear layer, something by columns and a linear layer, cut over the ranks of a communicator. The first linear
/// layer is cut by columns, the second by rows (Shoeybi et al. 2019). All ranks call it alike. Its weights are those of
/// training::tensor::weight_cut, and begin as the serial network's. With rows_at::each, the gradients of the last bias
/// are those of the own rows.
template <class Communicator>
class cut_pair {
public:
    /// `first` and `second` are the whole layers; `between` is this rank's part. Each rank has as many of `units`
    /// equal blocks of columns between them.
    cut_pair(const Communicator& ranks, const linear& first, layer between, const linear& second, std::size_t units,
             rows_at rows)
        : ranks_(ranks), first_(first), second_(second), rows_(rows), cut_(ranks.rank(), ranks.size()) {
        add_to(cut_, first, second, units);
        const auto parts = static_cast<std::size_t>(ranks.size());
        inside_ = {linear{first.in, first.out / parts, first.gain}, std::move(between),
                   linear{second.in / parts, second.out, second.gain, false}};
    }

    /// Adds the two layers to a list of weights.
    static void add_to(training::tensor::weight_cut& cut, const linear& first, const linear& second,
                       std::size_t units) {
        cut.column_part(first.in, first.out, units);
        cut.row_part(second.in, second.out, units);
    }

    [[nodiscard]] std::string_view name() const { return "cut_pair"; }
    [[nodiscard]] std::size_t parameters() const { return cut_.part(); }
    [[nodiscard]] std::vector<tensor> tensors() const {
        const std::size_t inner = cut_.part() - second_.out;
        return {{"parts", 1, inner}, {"bias", 1, second_.out}};
    }
    [[nodiscard]] std::size_t outputs(std::size_t inputs) const {
        for (const layer& l : inside_) inputs = l.outputs(inputs);
        return inputs;
    }
    /// Draws what the serial network draws, and keeps the part.
    void initialise(std::span<float> w, random_source& random) const {
        std::vector<float> whole(cut_.whole());
        first_.initialise(std::span(whole).first(first_.parameters()), random);
        second_.initialise(std::span(whole).last(second_.parameters()), random);
        cut_.take(std::span<const float>(whole), w);
    }
    void forward(std::span<const float> w, const_matrix input, matrix output, saved& kept) const {
        kept.inside.resize(1);
        std::vector<float> in, out;
        const matrix terms = rows_ == rows_at::each ? on_all_rows(output, out) : output;
        neural::forward(inside_, inner(w), whole<training::tensor::gather_rows>(input, in), terms, kept.inside.front());
        if (rows_ == rows_at::each)
            training::tensor::scatter_rows::forward(ranks_, flat<const float>(terms), flat<float>(output));
        else
            training::tensor::reduce_from::forward(ranks_, flat<float>(output));
        const std::span<const float> bias = w.last(second_.out);
        for (std::size_t i = 0; i < output.rows; ++i)
            for (std::size_t j = 0; j < second_.out; ++j) output.row(i)[j] += bias[j];
    }
    /// With rows_at::each the input is gathered again rather than kept, as Korthikanti et al. do.
    void backward(std::span<const float> w, const_matrix input, const saved& kept, const_matrix slope,
                  matrix input_slope, std::span<float> w_slope) const {
        const std::span<float> bias_slope = w_slope.last(second_.out);
        for (std::size_t i = 0; i < slope.rows; ++i)
            for (std::size_t j = 0; j < second_.out; ++j) bias_slope[j] += slope.row(i)[j];
        std::vector<float> in, out, in_slope;
        const bool cut = rows_ == rows_at::each && input_slope.data;
        const matrix terms = cut ? on_all_rows(input_slope, in_slope) : input_slope;
        neural::backward(inside_, inner(w), whole<training::tensor::gather_rows>(input, in), kept.inside.front(),
                         whole<slope_rows>(slope, out), terms, w_slope.first(w_slope.size() - second_.out));
        if (!input_slope.data) return;
        if (cut)
            training::tensor::gather_rows::backward(ranks_, flat<const float>(terms), flat<float>(input_slope));
        else
            training::tensor::copy_to::backward(ranks_, flat<float>(input_slope));
    }

private:
    struct slope_rows {
        static void forward(const Communicator& ranks, std::span<const float> part, std::span<float> whole) {
            training::tensor::scatter_rows::backward(ranks, part, whole);
        }
    };

    [[nodiscard]] std::span<const float> inner(std::span<const float> w) const {
        return w.first(w.size() - second_.out);
    }
    /// What a collective takes.
    template <class Element>
    [[nodiscard]] static std::span<Element> flat(matrix_of<Element> m) {
        if (m.rows > 1 && m.stride != m.columns) reject("cut_pair", "the rows of a matrix must lie close");
        return {m.data, m.rows * m.columns};
    }
    /// A matrix of all ranks' rows in this memory.
    [[nodiscard]] matrix on_all_rows(const_matrix part, std::vector<float>& memory) const {
        const std::size_t rows = part.rows * static_cast<std::size_t>(ranks_.size());
        memory.resize(rows * part.columns);
        return {memory.data(), rows, part.columns};
    }
    /// The rows of all ranks, in this memory unless they are here.
    template <class Gather>
    [[nodiscard]] const_matrix whole(const_matrix part, std::vector<float>& memory) const {
        if (rows_ == rows_at::all) return part;
        const matrix all = on_all_rows(part, memory);
        Gather::forward(ranks_, flat(part), flat(all));
        return all;
    }

    Communicator ranks_;
    linear first_, second_;
    rows_at rows_;
    training::tensor::weight_cut cut_;
    std::vector<layer> inside_;
};

} // namespace tutti::tools::neural

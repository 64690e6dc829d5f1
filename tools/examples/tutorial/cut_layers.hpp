// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#pragma once

#include "small_network.hpp"

#include <tutti/collectives/collectives.hpp>
#include <tutti/training/tensor/conjugates.hpp>
#include <tutti/training/tensor/weight_cut.hpp>

/// Two layers that are cut: the first by its outputs, the second by its inputs. Between them nothing is sent.
struct cut_layers {
    std::vector<float> x, inner, y; // of the last forward
    std::size_t part = 0;           // columns between the layers, on this rank

    void forward(const auto& ranks, small::view weights, small::view input) {
        x.assign(input.begin(), input.end());
        inner.resize(x.size() / small::width * part);
        y.resize(x.size());
        small::linear(x, weights.first(small::width * part), inner, small::width);
        small::squash(inner);
        small::linear(inner, weights.last(part * small::width), y, part);
        tutti::training::tensor::reduce_from::forward(ranks, small::room(y)); // each rank has a term of the sum
        small::squash(y);
    }
    /// `dy` becomes the gradient by the input.
    void backward(const auto& ranks, small::view weights, std::vector<float>& dy, small::room dw) const {
        std::vector<float> dx(x.size()), d_inner(inner.size());
        small::squash_back(y, dy);
        small::linear_back(inner, weights.last(part * small::width), dy, d_inner, dw.last(part * small::width), part);
        small::squash_back(inner, d_inner);
        small::linear_back(x, weights.first(small::width * part), d_inner, dx, dw.first(small::width * part),
                           small::width);
        tutti::training::tensor::copy_to::backward(ranks, small::room(dx)); // each rank has a term of it
        dy.swap(dx);
    }
};

/// Which weights of so many such pairs a rank has.
inline tutti::training::tensor::weight_cut cut_of(int rank, int size, std::size_t pairs) {
    tutti::training::tensor::weight_cut cut(rank, size);
    for (std::size_t p = 0; p < pairs; ++p) {
        cut.column_part(small::width, small::width, /*units=*/small::width, /*bias=*/false);
        cut.row_part(small::width, small::width, /*units=*/small::width, /*bias=*/false);
    }
    return cut;
}

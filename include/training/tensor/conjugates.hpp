// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/allgather.hpp"
#include "../../collectives/allreduce.hpp"
#include "../../collectives/reduce_scatter.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

/// Where activations pass into a part of a network that is cut over ranks, and out of it. Each place has a forward and
/// a backward, and one is the transpose of the other. Matrices lie by rows. Ranks of the communicator hold the parts.
///
/// Preconditions on all ranks: equal counts, the same order of calls. Errors: as of the collective, and
/// invalid_argument for shapes that do not fit. Sources: Shoeybi et al., Megatron-LM, 2019 (f and g); Korthikanti et
/// al., Reducing Activation Recomputation in Large Transformer Models, 2022 (the rows).
namespace tutti::training::tensor {

/// Megatron's f, before a column part: all ranks have the same input, and each its own gradient of it.
struct copy_to {
    /// The input as it is. Cost: none.
    template <class Communicator, class T>
    static void forward(const Communicator&, std::span<T>) noexcept {}
    /// `gradient` becomes the sum over ranks. Cost: an allreduce.
    template <class Communicator, class T>
    static void backward(const Communicator& ranks, std::span<T> gradient) {
        ranks.allreduce(gradient, sum);
    }
};

/// Megatron's g, behind a row part: each rank has a term of the output, and all need the sum.
struct reduce_from {
    /// `output` becomes the sum over ranks. Cost: an allreduce.
    template <class Communicator, class T>
    static void forward(const Communicator& ranks, std::span<T> output) {
        ranks.allreduce(output, sum);
    }
    /// The gradient as it is. Cost: none.
    template <class Communicator, class T>
    static void backward(const Communicator&, std::span<T>) noexcept {}
};

/// In place of f, where activations outside are cut by rows: rank r has the r-th of equal blocks of rows.
struct gather_rows {
    /// `whole` is of all ranks' rows. Cost: an allgather.
    template <class Communicator, class T>
    static void forward(const Communicator& ranks, std::span<const T> part, std::span<T> whole) {
        ranks.allgather(part, whole);
    }
    /// `part` is the sum of the own rows over ranks. Cost: a reduce_scatter.
    template <class Communicator, class T>
    static void backward(const Communicator& ranks, std::span<const T> whole, std::span<T> part) {
        ranks.reduce_scatter(whole, part, sum);
    }
};

/// In place of g, likewise.
struct scatter_rows {
    /// `part` is the sum of the own rows over ranks. Cost: a reduce_scatter.
    template <class Communicator, class T>
    static void forward(const Communicator& ranks, std::span<const T> whole, std::span<T> part) {
        ranks.reduce_scatter(whole, part, sum);
    }
    /// `whole` is of all ranks' rows. Cost: an allgather.
    template <class Communicator, class T>
    static void backward(const Communicator& ranks, std::span<const T> part, std::span<T> whole) {
        ranks.allgather(part, whole);
    }
};

/// Behind a column part whose whole output is needed on all ranks, which then go on alike.
struct gather_columns {
    /// `part` has `rows` rows of this rank's columns, and `whole` as many of all ranks' columns, in the order of ranks.
    /// Cost: an allgather and a copy of `whole`.
    template <class Communicator, class T>
    static void forward(const Communicator& ranks, std::size_t rows, std::span<const T> part, std::span<T> whole) {
        const std::size_t size = examine(ranks, rows, part.size(), whole.size()), width = width_of(rows, part.size());
        std::vector<std::remove_const_t<T>> by_rank(whole.size());
        ranks.allgather(part, std::span(by_rank));
        for (std::size_t r = 0; r < size; ++r)
            for (std::size_t i = 0; i < rows; ++i)
                std::copy_n(by_rank.data() + r * part.size() + i * width, width, whole.data() + (i * size + r) * width);
    }
    /// The own columns of a gradient that all ranks have alike. Cost: a copy of `part`.
    template <class Communicator, class T>
    static void backward(const Communicator& ranks, std::size_t rows, std::span<const T> whole, std::span<T> part) {
        const std::size_t size = examine(ranks, rows, part.size(), whole.size()), width = width_of(rows, part.size());
        const auto own = static_cast<std::size_t>(ranks.rank());
        for (std::size_t i = 0; i < rows; ++i)
            std::copy_n(whole.data() + (i * size + own) * width, width, part.data() + i * width);
    }

private:
    [[nodiscard]] static std::size_t width_of(std::size_t rows, std::size_t part) noexcept {
        return rows == 0 ? 0 : part / rows;
    }
    template <class Communicator>
    static std::size_t examine(const Communicator& ranks, std::size_t rows, std::size_t part, std::size_t whole) {
        const auto size = static_cast<std::size_t>(ranks.size());
        if (width_of(rows, part) * rows != part || whole != size * part)
            reject("gather_columns", "the whole has as many rows as the part, and the columns of all ranks");
        return size;
    }
};

} // namespace tutti::training::tensor

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tutti::training::tensor {

/// Which rank has which weights of a network that is cut over ranks. The arrays of the whole network are named one
/// after the other. A rank's arrays lie in the same order. Source: Shoeybi et al., Megatron-LM, 2019.
///
/// All ranks make the same calls, each with its own rank. Nothing is communicated.
class weight_cut {
public:
    /// Consecutive elements of the rank's array.
    struct range {
        std::size_t first = 0; ///< where they begin
        std::size_t count = 0; ///< how many
    };

    /// Of this rank among so many. Throws invalid_argument for a rank that does not exist.
    weight_cut(int rank, int size) : rank_(static_cast<std::size_t>(rank)), size_(static_cast<std::size_t>(size)) {
        if (rank < 0 || rank >= size) reject("weight_cut", "there is no such rank");
    }

    /// A linear layer of `in` by `out` weights, and perhaps a bias of `out`, cut by outputs: this rank has a block of
    /// columns, and their biases. The columns are `units` equal blocks that stay whole, as those of attention's heads
    /// do. Throws invalid_argument unless each rank gets as many units.
    void column_part(std::size_t in, std::size_t out, std::size_t units, bool bias = true) {
        const std::size_t width = share(out, units);
        add({whole_ + rank_ * width, in, width, out});
        whole_ += in * out;
        if (!bias) return;
        add({whole_ + rank_ * width, 1, width, width});
        whole_ += out;
    }
    /// The same cut by inputs: this rank has a block of rows. All ranks have the bias, which is added to the sum of
    /// their outputs.
    void row_part(std::size_t in, std::size_t out, std::size_t units, bool bias = true) {
        const std::size_t height = share(in, units);
        add({whole_ + rank_ * height * out, 1, height * out, height * out});
        whole_ += in * out;
        if (bias) on_all(out);
    }
    /// So many weights that every rank has.
    void on_all(std::size_t count) {
        common_.push_back({part_, count});
        add({whole_, 1, count, count});
        whole_ += count;
    }

    /// Weights of the whole network.
    [[nodiscard]] std::size_t whole() const noexcept { return whole_; }
    /// Weights of this rank.
    [[nodiscard]] std::size_t part() const noexcept { return part_; }
    /// Those that every rank has. Of a norm over all weights one rank counts them. Where activations are cut by rows,
    /// their gradients are terms of a sum over ranks.
    [[nodiscard]] std::span<const range> common() const noexcept { return common_; }

    /// Copies this rank's part out of the whole: of weights or of gradients. Throws invalid_argument for other lengths.
    template <class T>
    void take(std::span<const T> whole, std::span<T> part) const {
        examine(whole.size(), part.size());
        T* to = part.data();
        for (const strip& s : strips_)
            for (std::size_t i = 0; i < s.height; ++i)
                to = std::copy_n(whole.data() + s.first + i * s.stride, s.width, to);
    }
    /// Copies it back to its place. The rest of `whole` stays as it is.
    template <class T>
    void put(std::span<const T> part, std::span<T> whole) const {
        examine(whole.size(), part.size());
        const T* from = part.data();
        for (const strip& s : strips_)
            for (std::size_t i = 0; i < s.height; ++i, from += s.width)
                std::copy_n(from, s.width, whole.data() + s.first + i * s.stride);
    }

private:
    /// Rows of a block, `stride` elements apart in the whole; in the part they lie close.
    struct strip {
        std::size_t first, height, width, stride;
    };
    void add(const strip& s) {
        strips_.push_back(s);
        part_ += s.height * s.width;
    }
    [[nodiscard]] std::size_t share(std::size_t all, std::size_t units) const {
        if (units == 0 || all % units != 0 || units % size_ != 0)
            reject("weight_cut", std::to_string(all) + " columns or rows in " + std::to_string(units) +
                                     " units have no equal parts on " + std::to_string(size_) + " ranks");
        return all / size_;
    }
    void examine(std::size_t whole, std::size_t part) const {
        if (whole != whole_ || part != part_)
            reject("weight_cut", "there are " + std::to_string(whole_) + " weights, and " + std::to_string(part_) +
                                     " on this rank, not " + std::to_string(whole) + " and " + std::to_string(part));
    }

    std::size_t rank_, size_, whole_ = 0, part_ = 0;
    std::vector<strip> strips_;
    std::vector<range> common_;
};

} // namespace tutti::training::tensor

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "sparse_vector.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::compressed {

namespace detail {
[[noreturn]] inline void refuse_words(std::size_t words, std::size_t length) {
    throw error(tutti::detail::make_fault(cause::mismatch, "sparse_allreduce", -1,
                                          std::to_string(words) + " words came for a part of " +
                                              std::to_string(length) + " elements",
                                          "pass vectors of the same dimension, and the same options, on all ranks"));
}
} // namespace detail

/// A part of a sparse vector on its way: the elements with indices from `first` on. It is sparse, as indices and
/// values, or dense, as the values of the whole part. It is sparse where that is smaller: two words an element that is
/// given, against one word an element of the part. A sum has all elements that one of its operands has, so it may
/// become dense, and stays so. The form depends on the operands alone. Where ranks make the same sum, they get the same
/// bits.
///
/// On the wire it is words of 32 bits, and their number tells the form. Source: SparCML, Renggli et al. 2019.
class stream {
public:
    stream() = default;
    /// Those elements of `of` that lie in the part.
    stream(const sparse_vector& of, std::size_t first, std::size_t length) : first_(first), length_(length) {
        const auto from = std::ranges::lower_bound(of.indices, first),
                   to = std::ranges::lower_bound(of.indices, first + length);
        indices_.assign(from, to);
        values_.assign(of.values.begin() + (from - of.indices.begin()), of.values.begin() + (to - of.indices.begin()));
        settle();
    }
    /// From the words of append_to(). Throws cause::mismatch for words that cannot be of this part.
    stream(std::span<const std::uint32_t> words, std::size_t first, std::size_t length)
        : first_(first), length_(length), is_dense_(words.size() == length) {
        const std::size_t given = is_dense_ ? 0 : words.size() / 2;
        indices_.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(given));
        values_.reserve(words.size() - given);
        for (const std::uint32_t w : words.subspan(given)) values_.push_back(std::bit_cast<float>(w));
        if (words.size() > length || indices_.size() > values_.size() || (!is_dense_ && words.size() % 2 != 0) ||
            !is_ascending())
            detail::refuse_words(words.size(), length);
    }

    /// How many words it has on the wire: at most as many as the part has elements.
    [[nodiscard]] std::size_t words() const noexcept { return indices_.size() + values_.size(); }
    /// Appends its words: indices, then values.
    void append_to(std::vector<std::uint32_t>& message) const {
        message.insert(message.end(), indices_.begin(), indices_.end());
        for (const float v : values_) message.push_back(std::bit_cast<std::uint32_t>(v));
    }
    /// Writes the part into the whole vector, with its zeros.
    void put(std::span<float> whole) const {
        const auto to = whole.subspan(first_, length_);
        if (is_dense_) return void(std::ranges::copy(values_, to.begin()));
        std::ranges::fill(to, 0.0F);
        for (std::size_t i = 0; i < indices_.size(); ++i) whole[indices_[i]] = values_[i];
    }

    /// left + right, element by element. Precondition: both are of the same part. Cost: linear in their words.
    [[nodiscard]] friend stream operator+(const stream& left, const stream& right) {
        if (left.is_dense_ || right.is_dense_) return dense_sum(left, right);
        stream both;
        both.first_ = left.first_, both.length_ = left.length_;
        both.indices_.reserve(left.indices_.size() + right.indices_.size());
        both.values_.reserve(left.indices_.size() + right.indices_.size());
        std::size_t i = 0, j = 0;
        while (i < left.indices_.size() || j < right.indices_.size()) {
            const bool from_left =
                j == right.indices_.size() || (i < left.indices_.size() && left.indices_[i] <= right.indices_[j]);
            const bool from_right =
                i == left.indices_.size() || (j < right.indices_.size() && right.indices_[j] <= left.indices_[i]);
            both.indices_.push_back(from_left ? left.indices_[i] : right.indices_[j]);
            both.values_.push_back(from_left && from_right ? left.values_[i] + right.values_[j]
                                   : from_left             ? left.values_[i]
                                                           : right.values_[j]);
            i += from_left ? 1 : 0, j += from_right ? 1 : 0;
        }
        both.settle();
        return both;
    }

private:
    [[nodiscard]] static stream dense_sum(const stream& left, const stream& right) {
        stream both = left;
        both.make_dense();
        if (right.is_dense_)
            for (std::size_t i = 0; i < both.values_.size(); ++i) both.values_[i] += right.values_[i];
        else
            for (std::size_t i = 0; i < right.indices_.size(); ++i)
                both.values_[right.indices_[i] - right.first_] += right.values_[i];
        return both;
    }
    void settle() {
        if (words() >= length_) make_dense();
    }
    void make_dense() {
        if (std::exchange(is_dense_, true)) return;
        std::vector<float> all(length_);
        for (std::size_t i = 0; i < indices_.size(); ++i) all[indices_[i] - first_] = values_[i];
        values_ = std::move(all);
        indices_.clear();
    }
    [[nodiscard]] bool is_ascending() const {
        return indices_.empty() ||
               (indices_.front() >= first_ && indices_.back() - first_ < length_ &&
                std::ranges::adjacent_find(indices_, std::ranges::greater_equal{}) == indices_.end());
    }

    std::size_t first_ = 0, length_ = 0;
    bool is_dense_ = false;
    std::vector<std::uint32_t> indices_; ///< in the whole vector; none where it is dense
    std::vector<float> values_;
};

} // namespace tutti::training::compressed

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace tutti::tools::neural {

/// A view of rows that lie `stride` elements apart, so that a block of a matrix is a view too. It owns nothing.
template <class Element>
struct matrix_of {
    Element* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t stride = 0;

    constexpr matrix_of() = default;
    constexpr matrix_of(Element* first, std::size_t rows_, std::size_t columns_) noexcept
        : data(first), rows(rows_), columns(columns_), stride(columns_) {}
    constexpr matrix_of(Element* first, std::size_t rows_, std::size_t columns_, std::size_t stride_) noexcept
        : data(first), rows(rows_), columns(columns_), stride(stride_) {}
    /// What may be written may be read.
    constexpr operator matrix_of<const Element>() const noexcept
        requires(!std::is_const_v<Element>)
    {
        return {data, rows, columns, stride};
    }

    [[nodiscard]] constexpr std::span<Element> row(std::size_t i) const noexcept {
        return {data + i * stride, columns};
    }
    /// `height` rows from `top` on, of these `width` columns from `left` on.
    [[nodiscard]] constexpr matrix_of block(std::size_t top, std::size_t height, std::size_t left,
                                            std::size_t width) const noexcept {
        return {data + top * stride + left, height, width, stride};
    }
};

using matrix = matrix_of<float>;
using const_matrix = matrix_of<const float>;

} // namespace tutti::tools::neural

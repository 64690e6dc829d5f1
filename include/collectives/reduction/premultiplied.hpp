// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "built_in.hpp"

namespace tutti {

/// What premultiplied_sum makes. It cannot be called: it has no two operands, but an input and a sum.
template <class Factor>
struct premultiplied_sum_operator {
    Factor factor; ///< of this rank
};

/// The sum of all ranks' inputs, each multiplied by its rank's factor before it travels (ncclRedOpCreatePreMulSum):
/// `world.allreduce(gradient, tutti::premultiplied_sum(0.5F))`. Ranks may have different factors. A factor is a number:
/// of floating-point elements any, converted to the element's type (to float for 16 and 8 bits); of integers an
/// integer; of std::complex a real one. Each product is rounded once. Not for data in the memory of a GPU.
///
/// Cost: that of `sum`, and one pass over the input. It is written to the output where that has the size of the input;
/// else to as much memory of the library's.
///
/// @snippet reference.cpp premultiplied
template <class Factor>
[[nodiscard]] constexpr premultiplied_sum_operator<Factor> premultiplied_sum(Factor factor) noexcept {
    static_assert(detail::number<Factor>,
                  "tutti: the factor of premultiplied_sum must be a number, neither complex nor bool");
    return {factor};
}

namespace detail {

template <class Op>
inline constexpr bool is_premultiplied_sum = false;
template <class Factor>
inline constexpr bool is_premultiplied_sum<premultiplied_sum_operator<Factor>> = true;

/// The factor is an integer, or no factor.
template <class Op>
inline constexpr bool has_integer_factor = true;
template <class Factor>
inline constexpr bool has_integer_factor<premultiplied_sum_operator<Factor>> = std::integral<Factor>;

} // namespace detail

} // namespace tutti

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernel.hpp"

#include <complex>

/// `sum` on std::complex, as the sums of its two parts and as fast. Not part of collectives.hpp, since `<complex>`
/// takes the compiler a while; without this header a std::complex is moved as any record. Of the product there is none:
/// a sum of products may be contracted on one rank and not on another.
namespace tutti::detail {

template <std::floating_point T>
struct summed_parts<std::complex<T>> {
    using type = T;
    static constexpr std::size_t number = 2;
};

} // namespace tutti::detail

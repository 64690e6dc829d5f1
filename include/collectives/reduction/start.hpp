// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "kernel.hpp"

#include <array>
#include <cstddef>

namespace tutti {

/// The first stage of a reduction: what becomes of a rank's own input before it travels. Nothing where `run` is null.
struct start {
    /// to[i] = started(from[i]) for `count` elements of any alignment; `to` is `from` or does not overlap it.
    using kernel = void (*)(std::byte* to, const std::byte* from, std::size_t count, const std::byte* factor);

    kernel run = nullptr;                                ///< null: there is no first stage
    std::array<std::byte, sizeof(long double)> factor{}; ///< a number of the type that the kernel computes in
    friend bool operator==(const start&, const start&) = default;
};

namespace detail {

/// The type whose numbers are multiplied, one after the other: of std::complex that of its parts.
template <element T>
using multiplied = summed_parts<T>::type;
template <element T>
inline constexpr std::size_t multiplied_number = summed_parts<T>::number > 0 ? summed_parts<T>::number : 1;

template <class T>
[[gnu::noinline]] void multiply_all(std::byte* to, const std::byte* from, std::size_t count,
                                    const std::byte* factor) noexcept {
    const auto by = load<wide<T>>(factor);
    if constexpr (is_narrow_float<T>)
        scale<T>(to, from, count, by, best_instructions());
    else
        apply<T>(to, from, from, count, [by](T x, T) noexcept { return multiply(x, by); });
}
template <element T>
void premultiply(std::byte* to, const std::byte* from, std::size_t count, const std::byte* factor) noexcept {
    multiply_all<multiplied<T>>(to, from, count * multiplied_number<T>, factor);
}

template <class Op>
[[nodiscard]] constexpr const Op& bare_value(const Op& op) noexcept {
    return op;
}
template <class Functor>
[[nodiscard]] constexpr const auto& bare_value(const non_commutative<Functor>& op) noexcept {
    return bare_value(op.functor);
}

} // namespace detail

/// Op has a first stage: it is a premultiplied_sum.
template <class Op>
inline constexpr bool has_starter = detail::is_premultiplied_sum<detail::bare_operator<Op>>;

/// The first stage that premultiplies elements of type T. `factor` is of the type that the product is computed in. A
/// factor that is NaN has its one form then, which the vectors of bfloat16 need of a product.
template <element T>
[[nodiscard]] start starter_with(const detail::wide<detail::multiplied<T>>& factor) noexcept {
    start s{&detail::premultiply<T>};
    if constexpr (detail::floating<detail::wide<detail::multiplied<T>>>)
        detail::store(s.factor.data(), detail::canonical(factor));
    else
        detail::store(s.factor.data(), factor);
    return s;
}
/// The first stage of an operator that has one.
template <element T, class Op>
    requires has_starter<Op>
[[nodiscard]] start starter_of(const Op& op) noexcept {
    const auto factor = detail::bare_value(op).factor;
    using computed = detail::wide<detail::multiplied<T>>;
    if constexpr (detail::is_narrow_float<std::remove_cv_t<decltype(factor)>>)
        return starter_with<T>(static_cast<computed>(static_cast<float>(factor)));
    else
        return starter_with<T>(static_cast<computed>(factor));
}

} // namespace tutti

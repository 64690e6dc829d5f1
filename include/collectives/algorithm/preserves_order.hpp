// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any.hpp"
#include "emit.hpp"

#include "../schedule/verify_modes.hpp"

#include <cstddef>
#include <utility>

namespace tutti::algorithm {

namespace detail {

/// The e-th algorithm of a type to look at: the only one, where it has no parameters.
template <class A>
[[nodiscard]] constexpr A example([[maybe_unused]] std::size_t e) {
    if constexpr (requires { A::examples(); })
        return A::examples()[e];
    else
        return A{};
}
template <class A>
[[nodiscard]] constexpr std::size_t example_count() {
    if constexpr (requires { A::examples(); })
        return A::examples().size();
    else
        return 1;
}

/// A constant for each number of ranks and root, since compilers limit how much they evaluate for one.
template <class A, operation o, std::size_t e, int size, int root>
inline constexpr bool keeps_order_from = [] {
    return schedule::keeps_rank_order(write(example<A>(e), o, size, root), write(example<A>(e), o, size, root, true));
}();

template <class A, operation o, std::size_t e, int size>
[[nodiscard]] constexpr bool keeps_order_among() {
    if constexpr (!keeps_order_from<A, o, e, size, 0>)
        return false;
    else if constexpr (schedule::has_root(o))
        return keeps_order_from<A, o, e, size, 1>;
    else
        return true;
}

template <class A, operation o, std::size_t e, int size = 2>
[[nodiscard]] constexpr bool keeps_order() {
    if constexpr (size > 5)
        return true;
    else if constexpr (keeps_order_among<A, o, e, size>())
        return keeps_order<A, o, e, size + 1>();
    else
        return false;
}

} // namespace detail

/// Whether algorithm A combines operands in rank order in operation o, in place or not: derived at compile time, by
/// proving its schedules for 2 to 5 ranks in both modes. Costs compile time where it is used, and only there.
template <class A, operation o>
inline constexpr bool preserves_order = [] {
    if constexpr (!offers<A>(o))
        return false;
    else
        return []<std::size_t... e>(std::index_sequence<e...>) {
            return (detail::keeps_order<A, o, e>() && ...);
        }(std::make_index_sequence<detail::example_count<A>()>{});
}();

namespace detail {
template <class Op>
struct order_proofs {
    template <class A, operation o>
    static constexpr bool of_type = preserves_order<A, o>;
    static bool of_call(const any& how, operation o, int size, int root) { return how.preserves_order(o, size, root); }
};
} // namespace detail

} // namespace tutti::algorithm

#if !defined(TUTTI_COMPILED)
#include "preserves_order.ipp"
#endif

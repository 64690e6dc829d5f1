// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

namespace tutti::algorithm {

/// The library's algorithms on one level. A new one is a line here, and one in all.hpp that includes it. Tools know
/// them by names() of all.hpp; tests/algorithm/proven.cpp proves them.
#define TUTTI_ALGORITHMS(each)                                                                                         \
    each(naive) each(one_shot) each(parameter_server) each(direct) each(ring) each(butterfly) each(halving_doubling)   \
        each(binomial_tree) each(double_binary_tree) each(chain) each(hillis_steele) each(circulant) each(bruck)       \
            each(butterfly_of) each(scatter_allgather) each(reduce_scatter_gather)

#define TUTTI_DECLARED(name) struct name;
TUTTI_ALGORITHMS(TUTTI_DECLARED)
#undef TUTTI_DECLARED
template <class Local, class Global>
struct hierarchical;
/// The same over nodes of any sizes.
template <class Local, class Global>
struct hierarchical_uneven;

namespace detail {

// What is not of the library is foreign: it is proven before it runs.
#define TUTTI_IS_THIS(name) || std::same_as<A, name>
template <class A>
inline constexpr bool is_of_library = false TUTTI_ALGORITHMS(TUTTI_IS_THIS);
#undef TUTTI_IS_THIS
template <class Local, class Global>
inline constexpr bool is_of_library<hierarchical<Local, Global>> = is_of_library<Local> && is_of_library<Global>;
template <class Local, class Global>
inline constexpr bool is_of_library<hierarchical_uneven<Local, Global>> = is_of_library<Local> && is_of_library<Global>;

} // namespace detail

} // namespace tutti::algorithm

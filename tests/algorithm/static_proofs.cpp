// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/emit.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/verify.hpp>

#include "support/catch.hpp"

using namespace tutti::algorithm;
using tutti::schedule::operation;

namespace {

/// Proven at compile time, at the stated cost. One schedule an evaluation, since compilers limit their length.
template <auto a, operation o, int size, int root, bool in_place>
constexpr bool proven = [] {
    const cost stated = a.stated(o, size);
    return tutti::schedule::verify(write(a, o, size, root, in_place), &stated).proven;
}();

/// Of three or four ranks, since the compiler takes long for more: those of programs that run are up to 1,024.
template <auto a, operation o>
constexpr bool proven_of_few() {
    if constexpr (!offers<decltype(a)>(o))
        return true;
    else if constexpr (tutti::schedule::has_root(o))
        return proven<a, o, 3, 2, false>;
    else
        return proven<a, o, 4, 0, true>;
}
template <auto a>
constexpr bool all_proven() {
    return proven_of_few<a, operation::allreduce>() && proven_of_few<a, operation::reduce_scatter>() &&
           proven_of_few<a, operation::allgather>() && proven_of_few<a, operation::reduce>() &&
           proven_of_few<a, operation::broadcast>();
}

} // namespace

TEST_CASE("every algorithm can be proven by the compiler") {
#define TUTTI_PROVEN(name) STATIC_REQUIRE(all_proven<name{}>());
    TUTTI_ALGORITHMS(TUTTI_PROVEN)
#undef TUTTI_PROVEN
    STATIC_REQUIRE(all_proven<butterfly_of{3}>());
    STATIC_REQUIRE(all_proven<hierarchical<ring, butterfly>{2}>());
}

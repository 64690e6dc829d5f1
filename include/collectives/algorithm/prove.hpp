// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any.hpp"

#include "../schedule/verify.hpp"

#include <concepts>
#include <string>
#include <string_view>

namespace tutti::algorithm {

/// Numbers of ranks, both ends included.
struct rank_range {
    int first = 1; ///< the least number, 1 or more
    int last = 64; ///< the largest number
};

/// The range of a proof, and the claims that it checks.
struct scope {
    rank_range ranks{};      ///< the numbers of ranks
    bool same_bits = true;   ///< all ranks hold the same bits; if not, each may group and order operands in its own way
    bool stated_cost = true; ///< the cost is the stated one, which is stated for one segment
    int segments = 1;        ///< into how many each step is cut; the library itself cuts those of trees alone
};

/// The result of a proof: of the call that is wrong or, if none is, of the last one.
struct verdict {
    bool proven = false;     ///< all calls are right
    schedule::proof proof{}; ///< of this call
    long calls = 0;          ///< how many calls were proven, each in both modes
    std::string_view name{}; ///< of the algorithm
    operation what{};        ///< of this call
    int size = 0;            ///< its ranks
    int root = 0;            ///< its root, where it has one
    int segments = 1;        ///< into how many each step was cut

    /// One line: "proven", or which operation, ranks, root and mode is wrong, and at which rank and step.
    [[nodiscard]] std::string message() const;
};

/// Proves one call that the algorithm offers, of `root` where there is one: in place, out of place, and by ranks that
/// differ in it. Its claims to rotate are checked as well. `of.ranks` does not count. Takes as long as three
/// proofs by verify. Throws tutti::error(invalid_argument) if it is not for so many ranks.
[[nodiscard]] verdict prove_call(const any& a, operation what, int size, int root = 0, const scope& of = {});

/// Proves all that can be run of an algorithm with these numbers of ranks: each operation that it offers, from each
/// root, in place, out of place, and by ranks that differ in it. Numbers of ranks that it is not for are left out.
/// Stops at the first flaw. For 1 to 64 ranks it takes a second or two, optimised; time grows with the fourth power of
/// the ranks where there is a root, else with the third. Throws tutti::error(invalid_argument) if there are no such
/// numbers of ranks, or it is for none of them.
///
/// @snippet reference.cpp prove
[[nodiscard]] verdict prove(const any& a, const scope& of = {});

/// What is no algorithm is refused by the compiler, with what it lacks.
template <class A>
    requires(!std::same_as<A, any> && !algorithm<A>)
verdict prove(const A&, const scope& = {}) {
    detail::require_algorithm<A>();
    return {};
}

namespace detail {

/// Of what is not of the library: throws tutti::error(invalid_argument) unless its results are right for this call, in
/// whatever mode. Bits may differ between ranks. A verdict is kept: see any::require_usable().
void require_proof(const any& a, operation what, int size, int root, int segments);

template <class A>
struct proof_of {
    static constexpr auto require = &require_proof;
};

} // namespace detail

} // namespace tutti::algorithm

#if !defined(TUTTI_COMPILED)
#include "prove.ipp"
#endif

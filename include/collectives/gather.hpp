// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/uneven.hpp"

namespace tutti {

/// gather: the root gets all ranks' data, one after the other in rank order.
///
/// Preconditions on all ranks: equal counts, element types, algorithms and roots; the same order of calls.
/// Shapes: at the root the output has size times as many elements as the input; elsewhere the output is not looked at
/// and may be empty. In place, at the root: the input is the root's own part of the output. The result is valid at the
/// root when the call returns; elsewhere the input may be used again. Errors: as of allreduce.
/// Cost: that of the algorithm. naive moves no byte twice; binomial_tree has depth ceil(log2 P).
///
/// @snippet reference.cpp gather
template <class Issuer>
class gather_operations {
public:
    /// Of equal parts: `in` of each rank, one after the other in the root's `out`.
    template <class In, class Out, class How = detail::automatic>
        requires(detail::range_like<In>)
    auto gather(In&& in, Out&& out, int root, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::gather>(self(), detail::span_of(in),
                                                                  detail::writable_span_of(out), root, none, how);
        });
    }

    /// Of one value of each rank: returns all of them at the root, in rank order; elsewhere nothing.
    template <class T, class How = detail::automatic>
        requires(!detail::range_like<T>)
    [[nodiscard]] std::vector<T> gather(const T& value, int root, const How& how = {}) const {
        detail::access::check_values<Issuer, T>();
        std::vector<T> all = detail::blanks<T>(self().rank() == root ? static_cast<std::size_t>(self().size()) : 0);
        gather(std::span(&value, 1), all, root, how);
        return all;
    }

    /// gatherv: the same with parts of unequal length, `counts[r]` elements of rank r. The counts are looked at by the
    /// root alone, whose output has their sum; elsewhere they may be empty. A rank that sends another number of
    /// elements than the root expects is a mismatch. With `displaced{counts, displacements}` rank r's part lies at
    /// displacements[r] of the output, which may be larger. Algorithms: those in which no rank hands on another one's
    /// part, as naive.
    template <class In, class Out, detail::parts_like Parts, class How = detail::automatic>
    auto gatherv(In&& in, Out&& out, const Parts& counts, int root, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            constexpr auto what = schedule::operation::gather;
            return detail::make_uneven_call<what>(self(), detail::span_of(in), detail::writable_span_of(out),
                                                  {detail::buffer_parts_of(what, counts)}, root, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

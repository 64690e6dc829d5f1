// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/uneven.hpp"

namespace tutti {

/// scatter: rank r gets the r-th of `size` equal parts of the root's data.
///
/// Preconditions on all ranks: equal counts, element types, algorithms and roots; the same order of calls.
/// Shapes: at the root the input has size times as many elements as the output; elsewhere the input is not looked at
/// and may be empty. In place, at the root: the output is the root's own part of the input. The result is valid in the
/// output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm. naive moves no byte twice; binomial_tree has depth ceil(log2 P).
///
/// @snippet reference.cpp scatter
template <class Issuer>
class scatter_operations {
public:
    /// Of equal parts: part r of the root's `in` goes to rank r's `out`.
    template <class In, class Out, class How = detail::automatic>
        requires(detail::range_like<Out>)
    auto scatter(In&& in, Out&& out, int root, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::scatter>(self(), detail::span_of(in),
                                                                   detail::writable_span_of(out), root, none, how);
        });
    }

    /// Of one value for each rank: returns this rank's.
    template <class In, class How = detail::automatic>
        requires(detail::range_like<In>)
    [[nodiscard]] auto scatter(In&& in, int root, const How& how = {}) const {
        using value = std::ranges::range_value_t<In>;
        detail::access::check_value<Issuer, value>();
        value result{};
        scatter(in, std::span(&result, 1), root, how);
        return result;
    }

    /// scatterv: the same with parts of unequal length; rank r gets `counts[r]` elements. The counts are looked at by
    /// the root alone, whose input has their sum; elsewhere they may be empty. A rank that expects another number of
    /// elements than the root sends is a mismatch. With `displaced{counts, displacements}` rank r's part lies at
    /// displacements[r] of the input, which may be larger. Algorithms: those in which no rank hands on another one's
    /// part, as naive.
    template <class In, detail::parts_like Parts, class Out, class How = detail::automatic>
    auto scatterv(In&& in, const Parts& counts, Out&& out, int root, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            constexpr auto what = schedule::operation::scatter;
            return detail::make_uneven_call<what>(self(), detail::span_of(in), detail::writable_span_of(out),
                                                  {detail::buffer_parts_of(what, counts)}, root, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

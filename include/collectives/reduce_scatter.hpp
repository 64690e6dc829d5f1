// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/uneven.hpp"

namespace tutti {

/// reduce_scatter: rank r gets the r-th of `size` equal parts of the reduction of all ranks' data.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms (without one: an input that is
/// symmetric_memory on all or on none); the same order of calls.
/// Shapes: the input has size times as many elements as the output. In place: the output is the rank's own part of
/// the input. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; ring and halving_doubling send (P-1)/P n.
///
/// @snippet reference.cpp reduce_scatter
template <class Issuer>
class reduce_scatter_operations {
public:
    /// Of equal parts: rank r's `out` gets part r of the reduction of all ranks' `in`.
    template <class In, class Out, class Op, class How = detail::automatic>
    auto reduce_scatter(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            return detail::make_call<schedule::operation::reduce_scatter>(
                self(), detail::span_of(in), detail::writable_span_of(out), 0, used, how, detail::says_symmetric<In>);
        });
    }

    /// reduce_scatterv (MPI_Reduce_scatter): the same with parts of unequal length; rank r gets `counts[r]` elements.
    /// `parts`: counts, or `displaced`. Preconditions on all ranks: the same counts. Shapes: the input has the sum of
    /// the counts, or reaches to the end of its displaced parts; the output has this rank's. In place: as above.
    template <class In, class Out, detail::parts_like Parts, class Op, class How = detail::automatic>
    auto reduce_scatterv(In&& in, Out&& out, const Parts& parts, const Op& op, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            constexpr auto what = schedule::operation::reduce_scatter;
            return detail::make_uneven_call<what>(self(), detail::span_of(in), detail::writable_span_of(out),
                                                  {detail::buffer_parts_of(what, parts)}, 0, used, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

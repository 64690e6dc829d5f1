// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/uneven.hpp"

namespace tutti {

/// alltoall: every rank sends a block of its data to each rank, and gets one from each, in rank order.
///
/// Preconditions on all ranks: equal counts, element types and algorithms; the same order of calls; at most 46,340
/// ranks. Shapes: input and output have as many elements, a multiple of size; block r of the input is for rank r, and
/// block r of the output is from rank r. In place: the input is the output; the library then allocates as much memory
/// once more. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; direct sends (P-1)/P of the input in P-1 messages.
///
/// @snippet reference.cpp alltoall
template <class Issuer>
class alltoall_operations {
public:
    /// Of equal blocks: block r of `in` goes to rank r, and block r of `out` comes from it.
    template <class In, class Out, class How = detail::automatic>
    auto alltoall(In&& in, Out&& out, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::alltoall>(self(), detail::span_of(in),
                                                                    detail::writable_span_of(out), 0, none, how);
        });
    }

    /// alltoallv: the same with blocks of unequal length: `sent[r]` elements to rank r, `received[r]` from it. Each
    /// rank knows its own counts only. Shapes: the input has the sum of `sent`, the output that of `received`. Not in
    /// place. A rank that sends another number of elements than its peer expects is a mismatch. Either may be
    /// `displaced{counts, displacements}`: the block of rank r then lies at displacements[r], in a larger buffer if
    /// need be.
    template <class In, detail::parts_like Sent, class Out, detail::parts_like Received, class How = detail::automatic>
    auto alltoallv(In&& in, const Sent& sent, Out&& out, const Received& received, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            constexpr auto what = schedule::operation::alltoall;
            return detail::make_uneven_call<what>(
                self(), detail::span_of(in), detail::writable_span_of(out),
                {detail::buffer_parts_of(what, sent), detail::buffer_parts_of(what, received)}, 0, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

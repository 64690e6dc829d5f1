// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "issue.hpp"

namespace tutti {

/// alltoall: every rank sends a block of its data to each rank, and gets one from each, in rank order.
///
/// Preconditions on all ranks: equal counts, element types and algorithms; the same order of calls; at most 46,340
/// ranks. Shapes: input and output have as many elements, a multiple of size; block r of the input is for rank r, and
/// block r of the output is from rank r. In place: the input is the output; the library then allocates as much memory
/// once more. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; direct sends (P-1)/P of the input in P-1 messages.
template <class Issuer>
class alltoall_operations {
public:
    template <class In, class Out, class How = detail::automatic>
    auto alltoall(In&& in, Out&& out, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::alltoall>(self(), detail::span_of(in),
                                                                    detail::writable_span_of(out), 0, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

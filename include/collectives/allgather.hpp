// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "issue.hpp"

namespace tutti {

/// allgather: every rank gets all ranks' data, one after the other in rank order.
///
/// Preconditions on all ranks: equal counts, element types and algorithms; the same order of calls.
/// Shapes: the output has size times as many elements as the input. In place: the input is the rank's own part of the
/// output. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; all send (P-1)/P of the output where P is a power of two.
template <class Issuer>
class allgather_operations {
public:
    template <class In, class Out, class How = detail::automatic>
    auto allgather(In&& in, Out&& out, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::allgather>(self(), detail::span_of(in),
                                                                     detail::writable_span_of(out), 0, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "issue.hpp"

namespace tutti {

/// reduce_scatter: rank r gets the r-th of `size` equal parts of the reduction of all ranks' data.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms (without one: an input that is
/// symmetric_memory on all or on none); the same order of calls.
/// Shapes: the input has size times as many elements as the output. In place: the output is the rank's own part of
/// the input. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; ring and halving_doubling send (P-1)/P n.
template <class Issuer>
class reduce_scatter_operations {
public:
    template <class In, class Out, class Op, class How = detail::automatic>
    auto reduce_scatter(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            return detail::make_call<schedule::operation::reduce_scatter>(
                self(), detail::span_of(in), detail::writable_span_of(out), 0, used, how, detail::says_symmetric<In>);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

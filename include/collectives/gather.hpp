// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "issue.hpp"

namespace tutti {

/// gather: the root gets all ranks' data, one after the other in rank order.
///
/// Preconditions on all ranks: equal counts, element types, algorithms and roots; the same order of calls.
/// Shapes: at the root the output has size times as many elements as the input; elsewhere the output is not looked at
/// and may be empty. In place, at the root: the input is the root's own part of the output. The result is valid at the
/// root when the call returns; elsewhere the input may be used again. Errors: as of allreduce.
/// Cost: that of the algorithm. naive moves no byte twice; binomial_tree has depth ceil(log2 P).
template <class Issuer>
class gather_operations {
public:
    template <class In, class Out, class How = detail::automatic>
    auto gather(In&& in, Out&& out, int root, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::gather>(self(), detail::span_of(in),
                                                                  detail::writable_span_of(out), root, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

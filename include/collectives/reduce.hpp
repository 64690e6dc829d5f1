// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/issue.hpp"

namespace tutti {

/// reduce: the root gets the reduction of all ranks' data, element by element.
///
/// Preconditions on all ranks: equal counts, element types, operators, algorithms and roots; the same order of calls.
/// Shapes: at the root, input and output have equal counts, and are the same memory or disjoint; elsewhere the output
/// is not looked at and may be empty. The result is valid at the root when the call returns; elsewhere the input may
/// be used again. Errors: as of allreduce. Cost: that of the algorithm; binomial_tree has depth ceil(log2 P).
///
/// @snippet reference.cpp reduce
template <class Issuer>
class reduce_operations {
public:
    /// Of a range: the reduction of all ranks' `in` goes to the root's `out`.
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<In>)
    auto reduce(In&& in, Out&& out, int root, const Op& op, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            return detail::make_call<schedule::operation::reduce>(self(), detail::span_of(in),
                                                                  detail::writable_span_of(out), root, used, how);
        });
    }

    /// Of one value instead of a range: returns the result at the root, elsewhere the rank's own value.
    template <class T, class Op, class How = detail::automatic>
        requires(!detail::range_like<T>)
    [[nodiscard]] T reduce(const T& value, int root, const Op& op, const How& how = {}) const {
        detail::access::check_value<Issuer, T>();
        T result = value;
        reduce(std::span(&value, 1), std::span(&result, 1), root, op, how);
        return result;
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

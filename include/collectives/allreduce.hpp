// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/issue.hpp"

#include <span>

namespace tutti {

/// allreduce: every rank gets the reduction of all ranks' data, element by element; the same bits on every rank.
///
/// Preconditions: all ranks pass equal counts, element types, operators and algorithms, and make the calls on the
/// communicator in the same order. Where no algorithm is named, either all ranks pass symmetric_memory or none does.
/// Input and output have equal counts. They are the same memory or disjoint.
///
/// Result: valid in the output, on every rank, when the call returns. The input is written only if it is the output.
///
/// Algorithm: the last argument. Without it, or with an empty std::optional<algorithm::any>, the library chooses. The
/// cost is the algorithm's, stated in its header. The operator is taken as associative and commutative; see
/// non_commutative.
///
/// Errors: tutti::error. After invalid_argument nothing has changed. After any other error the communicator is unusable
/// on all ranks.
///
/// @snippet reference.cpp allreduce
template <class Issuer>
class allreduce_operations {
public:
    /// In place: the result replaces the data.
    template <class Range, class Op, class How = detail::automatic>
        requires(detail::range_like<Range> && !detail::range_like<Op>)
    auto allreduce(Range&& data, const Op& op, const How& how = {}) const {
        return reduce_all<Range, Range>(data, data, op, how);
    }
    /// From an input to an output, which may be the same memory.
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    auto allreduce(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        return reduce_all<In, Out>(in, out, op, how);
    }

    /// Of one value instead of a range: returns the result, on every rank. All ranks reduce one element.
    template <class T, class Op, class How = detail::automatic>
        requires(!detail::range_like<T> && !detail::range_like<Op>)
    [[nodiscard]] T allreduce(const T& value, const Op& op, const How& how = {}) const {
        detail::access::check_value<Issuer, T>();
        T result = value;
        allreduce(std::span(&result, 1), op, how);
        return result;
    }

private:
    template <class In, class Out, class Op, class How>
    auto reduce_all(In& in, Out& out, const Op& op, const How& how) const {
        constexpr bool symmetric = detail::says_symmetric<In> && detail::says_symmetric<Out>;
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            return detail::make_call<schedule::operation::allreduce>(
                self(), detail::span_of(in), detail::writable_span_of(out), 0, used, how, symmetric);
        });
    }
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

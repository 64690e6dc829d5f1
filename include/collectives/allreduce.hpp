// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "issue.hpp"

#include <span>

namespace tutti {

/// allreduce: every rank gets the reduction of all ranks' data, element by element; the same bits on every rank.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms (without one: symmetric_memory on
/// all or on none), and the same order of calls on the communicator. Shapes: input and output have equal counts; they
/// are the same memory or disjoint. The result is valid in the output when the call returns; the input is not written
/// unless it is the output. Errors: tutti::error. A call that is wrong in itself (invalid_argument) has changed
/// nothing; after any other error the communicator is unusable, and says so, on all ranks. Cost: that of the algorithm
/// (schedule::cost in its header): the last argument's; the library chooses where there is none, or an empty
/// std::optional<algorithm::any>. The operator is taken as associative and commutative; see non_commutative.
template <class Issuer>
class allreduce_operations {
public:
    template <class Range, class Op, class How = detail::automatic>
        requires(detail::range_like<Range> && !detail::range_like<Op>)
    auto allreduce(Range&& data, const Op& op, const How& how = {}) const {
        return reduce_all<Range, Range>(data, data, op, how);
    }
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

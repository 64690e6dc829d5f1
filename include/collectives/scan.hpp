// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/issue.hpp"

#include <span>

namespace tutti {

/// scan: rank r gets the reduction of the data of ranks 0 to r, element by element, in rank order.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms; the same order of calls. Shapes:
/// input and output have equal counts; they are the same memory or disjoint. The result is valid in the output when
/// the call returns. Errors: as of allreduce. Cost: that of the algorithm; hillis_steele has depth ceil(log2 P), chain
/// sends each rank's data once. The operator is taken as associative and need not be commutative. Algorithms group the
/// operands differently, so a sum that rounds may differ between algorithms, and from another rank's.
///
/// @snippet reference.cpp scan
template <class Issuer>
class scan_operations {
public:
    /// In place: the result replaces the data.
    template <class Range, class Op, class How = detail::automatic>
        requires(detail::range_like<Range> && !detail::range_like<Op>)
    auto scan(Range&& data, const Op& op, const How& how = {}) const {
        return scan_all<Range, Range>(data, data, op, how);
    }
    /// From an input to an output, which may be the same memory.
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    auto scan(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        return scan_all<In, Out>(in, out, op, how);
    }

    /// Of one value instead of a range: returns the result.
    template <class T, class Op, class How = detail::automatic>
        requires(!detail::range_like<T> && !detail::range_like<Op>)
    [[nodiscard]] T scan(const T& value, const Op& op, const How& how = {}) const {
        detail::access::check_value<Issuer, T>();
        T result = value;
        scan(std::span(&result, 1), op, how);
        return result;
    }

private:
    template <class In, class Out, class Op, class How>
    auto scan_all(In& in, Out& out, const Op& op, const How& how) const {
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            return detail::make_call<schedule::operation::scan>(self(), detail::span_of(in),
                                                                detail::writable_span_of(out), 0, used, how);
        });
    }
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

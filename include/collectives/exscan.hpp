// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/issue.hpp"

#include <span>

namespace tutti {

/// exscan: rank r gets the reduction of the data of ranks 0 to r-1, element by element, in rank order. Rank 0's output
/// is not written.
///
/// Preconditions on all ranks: equal counts, element types, operators and algorithms; the same order of calls. Shapes:
/// input and output have equal counts, on rank 0 too; they are the same memory or disjoint. The result is valid in the
/// output when the call returns. Errors: as of allreduce. Cost: that of the algorithm; hillis_steele has depth
/// 1 + ceil(log2(P-1)), chain sends each rank's data once. The operator is taken as associative and need not be
/// commutative; see scan.
///
/// @snippet reference.cpp scan
template <class Issuer>
class exscan_operations {
public:
    /// In place: the result replaces the data.
    template <class Range, class Op, class How = detail::automatic>
        requires(detail::range_like<Range> && !detail::range_like<Op>)
    auto exscan(Range&& data, const Op& op, const How& how = {}) const {
        return exscan_all<Range, Range>(data, data, op, how);
    }
    /// From an input to an output, which may be the same memory.
    template <class In, class Out, class Op, class How = detail::automatic>
        requires(detail::range_like<Out>)
    auto exscan(In&& in, Out&& out, const Op& op, const How& how = {}) const {
        return exscan_all<In, Out>(in, out, op, how);
    }

    /// Of one value instead of a range: returns the result. On rank 0 that is T{}, or zeros where T has no
    /// such constructor.
    template <class T, class Op, class How = detail::automatic>
        requires(!detail::range_like<T> && !detail::range_like<Op>)
    [[nodiscard]] T exscan(const T& value, const Op& op, const How& how = {}) const {
        detail::access::check_value<Issuer, T>();
        T result = detail::blank<T>();
        exscan(std::span(&value, 1), std::span(&result, 1), op, how);
        return result;
    }

private:
    template <class In, class Out, class Op, class How>
    auto exscan_all(In& in, Out& out, const Op& op, const How& how) const {
        return detail::access::issue<In, Out>(self(), op, [&](const Op& used) {
            return detail::make_call<schedule::operation::exscan>(self(), detail::span_of(in),
                                                                  detail::writable_span_of(out), 0, used, how);
        });
    }
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

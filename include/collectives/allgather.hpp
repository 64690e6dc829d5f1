// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/uneven.hpp"

namespace tutti {

/// allgather: every rank gets all ranks' data, one after the other in rank order.
///
/// Preconditions on all ranks: equal counts, element types and algorithms; the same order of calls.
/// Shapes: the output has size times as many elements as the input. In place: the input is the rank's own part of the
/// output. The result is valid in the output when the call returns. Errors: as of allreduce.
/// Cost: that of the algorithm; all send (P-1)/P of the output where P is a power of two.
///
/// @snippet reference.cpp allgather
template <class Issuer>
class allgather_operations {
public:
    /// Of equal parts: `in` of each rank, one after the other in `out`.
    template <class In, class Out, class How = detail::automatic>
        requires(detail::range_like<In>)
    auto allgather(In&& in, Out&& out, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            return detail::make_call<schedule::operation::allgather>(self(), detail::span_of(in),
                                                                     detail::writable_span_of(out), 0, none, how);
        });
    }

    /// Of one value of each rank: returns all of them, in rank order.
    template <class T, class How = detail::automatic>
        requires(!detail::range_like<T>)
    [[nodiscard]] std::vector<T> allgather(const T& value, const How& how = {}) const {
        detail::access::check_values<Issuer, T>();
        std::vector<T> all = detail::blanks<T>(static_cast<std::size_t>(self().size()));
        allgather(std::span(&value, 1), all, how);
        return all;
    }

    /// allgatherv: the same with parts of unequal length, `counts[r]` elements of rank r. Preconditions on all ranks:
    /// the same counts. Shapes: the input has this rank's count, the output their sum. In place: as above. With
    /// `displaced{counts, displacements}` rank r's part lies at displacements[r] of the output, which may be larger.
    template <class In, class Out, detail::parts_like Parts, class How = detail::automatic>
    auto allgatherv(In&& in, Out&& out, const Parts& counts, const How& how = {}) const {
        return detail::access::issue<In, Out>(self(), detail::no_operator{}, [&](const auto& none) {
            constexpr auto what = schedule::operation::allgather;
            return detail::make_uneven_call<what>(self(), detail::span_of(in), detail::writable_span_of(out),
                                                  {detail::buffer_parts_of(what, counts)}, 0, none, how);
        });
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

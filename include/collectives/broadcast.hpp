// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/issue.hpp"

#include <span>

namespace tutti {

/// broadcast: every rank gets the root's data, in the same range that the root sends from.
///
/// Preconditions on all ranks: equal counts, element types, algorithms and roots; the same order of calls.
/// The result is valid when the call returns; the root's data are not changed. Errors: as of allreduce.
/// Cost: that of the algorithm; binomial_tree has depth ceil(log2 P), double_binary_tree nearly halves the time of
/// large data.
///
/// @snippet reference.cpp broadcast
template <class Issuer>
class broadcast_operations {
public:
    /// Of a range: that of the root is copied to those of all other ranks.
    template <class Range, class How = detail::automatic>
        requires(detail::range_like<Range>)
    auto broadcast(Range&& data, int root, const How& how = {}) const {
        return detail::access::issue<Range>(self(), detail::no_operator{}, [&](const auto& none) {
            const auto whole = detail::writable_span_of(data);
            return detail::make_call<schedule::operation::broadcast>(self(), whole, whole, root, none, how);
        });
    }

    /// Of one value instead of a range: returns the root's, on every rank. Those that the others pass do not count.
    template <class T, class How = detail::automatic>
        requires(!detail::range_like<T>)
    [[nodiscard]] T broadcast(const T& value, int root, const How& how = {}) const {
        detail::access::check_value<Issuer, T>();
        T result = value;
        broadcast(std::span(&result, 1), root, how);
        return result;
    }

private:
    [[nodiscard]] const Issuer& self() const noexcept { return static_cast<const Issuer&>(*this); }
};

} // namespace tutti

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bits.hpp"
#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

#include <algorithm>
#include <bit>

namespace tutti::model::detail {

/// Powers of two: log2 P (t(n) + n gamma). Others: all subtrees but the last are whole; the root takes in what the last
/// one has sent when it is done with the others.
template <class Model>
[[nodiscard]] double binomial_reduce_s(const wire<Model>& w, double bytes, int size) {
    if (size == 1) return 0;
    const int whole = bits(size - 1) - 1; // subtrees
    const double done = whole * (w.message(bytes) + w.reduce(bytes));
    const double arrived = binomial_reduce_s(w, bytes, size - (1 << whole)) + w.header();
    return std::max(done, arrived) + w.receive(bytes) + w.reduce(bytes);
}

/// Powers of two: log2 P t(n). Others: the first subtree is not whole, and the second, which is, has s(n) less time.
template <class Model>
[[nodiscard]] double binomial_broadcast_s(const wire<Model>& w, double bytes, int size) {
    if (size == 1) return 0;
    const int whole = bits(size - 1) - 1;
    const double t = w.message(bytes), s = w.send(bytes);
    const double first = t + binomial_broadcast_s(w, bytes, size - (1 << whole));
    return whole == 0 ? first : std::max(first, s + t + (whole - 1) * std::max(s, t));
}

template <class Model>
[[nodiscard]] form binomial_reduce(const wire<Model>& w, const data& d, int size) {
    return {binomial_reduce_s(w, d.whole(), size),
            w.plain() && (w.receives_alone() || std::has_single_bit(static_cast<unsigned>(size)))};
}
template <class Model>
[[nodiscard]] form binomial_broadcast(const wire<Model>& w, const data& d, int size) {
    return {binomial_broadcast_s(w, d.whole(), size), w.plain()};
}

} // namespace tutti::model::detail

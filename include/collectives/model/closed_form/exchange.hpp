// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

#include <algorithm>

namespace tutti::model::detail {

/// Everyone sends `bytes` to everyone, and works `each_s` on what arrives before the next is received; what is slower,
/// sending or receiving, sets the pace. Exact while a processor is done with sending when the first message arrives;
/// else it turns from one to the other.
template <class Model>
[[nodiscard]] form exchange(const wire<Model>& w, double bytes, int size, double each_s) {
    const bool hidden = w.hides((size - 2) * w.send(bytes));
    const double taken = w.take(bytes, each_s) + (hidden ? 0 : w.busy(bytes));
    return {w.message(bytes) + each_s + (size - 2) * std::max(w.send(bytes), taken), hidden && w.plain()};
}

/// The reduction follows when all is there: in rank order, so that rank 0, whose neighbour's comes last, can begin with
/// none of it before.
template <class Model>
[[nodiscard]] form all_to_all_allreduce(const wire<Model>& w, const data& d, int size) {
    const double n = d.whole();
    return exchange(w, n, size, 0) + form{(size - 1) * w.reduce(n), true};
}

template <class Model>
[[nodiscard]] form server_scatter(const wire<Model>& w, const data& d, int size) {
    const double b = d.first(1, size);
    return exchange(w, b, size, w.reduce(b)) + form{0, d.divides(size)};
}

/// As all_to_all's, of shards.
template <class Model>
[[nodiscard]] form direct_scatter(const wire<Model>& w, const data& d, int size) {
    const double b = d.first(1, size);
    return exchange(w, b, size, 0) + form{(size - 1) * w.reduce(b), d.divides(size)};
}

template <class Model>
[[nodiscard]] form direct_gather(const wire<Model>& w, const data& d, int size) {
    return exchange(w, d.first(1, size), size, 0) + form{0, d.divides(size)};
}

} // namespace tutti::model::detail

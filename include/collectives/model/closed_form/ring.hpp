// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

namespace tutti::model::detail {

/// The longest chunk is never held up by a shorter one, and takes so many hops: t(b) + b gamma each.
template <class Model>
[[nodiscard]] form hops(const wire<Model>& w, double bytes, int count, double each_s) {
    const double held = (count - 1) * w.hold(bytes, each_s);
    return {count * (w.message(bytes) + each_s) + held, w.plain() && w.answers_at_once()};
}

template <class Model>
[[nodiscard]] form ring_scatter(const wire<Model>& w, const data& d, int size) {
    const double b = d.first(1, size);
    return hops(w, b, size - 1, w.reduce(b));
}

template <class Model>
[[nodiscard]] form ring_gather(const wire<Model>& w, const data& d, int size) {
    return hops(w, d.first(1, size), size - 1, 0);
}

} // namespace tutti::model::detail

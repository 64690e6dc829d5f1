// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

namespace tutti::model::detail {

/// The longest chunk is never held up by a shorter one, and takes P-1 hops: (P-1)(t(b) + b gamma).
template <class Model>
[[nodiscard]] form ring_scatter(const wire<Model>& w, const data& d, int size) {
    const double b = d.first(1, size);
    return {(size - 1) * (w.message(b) + w.reduce(b)), w.plain() && w.answers_at_once()};
}

template <class Model>
[[nodiscard]] form ring_gather(const wire<Model>& w, const data& d, int size) {
    return {(size - 1) * w.message(d.first(1, size)), w.plain() && w.answers_at_once()};
}

} // namespace tutti::model::detail

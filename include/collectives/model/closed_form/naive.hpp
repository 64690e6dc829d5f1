// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

namespace tutti::model::detail {

/// All messages are there when the root begins with the first; it takes them in one after the other:
/// t(n) + n gamma + (P-2) r(n), where r is what a receiver is taken for, and n gamma where its processor takes it in.
template <class Model>
[[nodiscard]] form naive_reduce(const wire<Model>& w, const data& d, int size) {
    const double n = d.whole(), each = w.reduce(n);
    return {w.message(n) + each + (size - 2) * w.take(n, each), w.plain()};
}

/// The root sends to one after the other: (P-2) s(n) + t(n), where s is what lies between two sends.
template <class Model>
[[nodiscard]] form naive_broadcast(const wire<Model>& w, const data& d, int size) {
    return {(size - 2) * w.send(d.whole()) + w.message(d.whole()), w.plain()};
}

} // namespace tutti::model::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "form.hpp"
#include "wire.hpp"

namespace tutti::model::detail {

/// All messages are there when the root begins with the first; it takes them in one after the other:
/// t(n) + (P-2) r(n) + (P-1) n gamma, where r is what a receiver is taken for.
template <class Model>
[[nodiscard]] form naive_reduce(const wire<Model>& w, const data& d, int size) {
    const double n = d.whole();
    return {w.message(n) + (size - 2) * w.receive(n) + (size - 1) * w.reduce(n), w.plain()};
}

/// The root sends to one after the other: (P-2) s(n) + t(n), where s is what lies between two sends.
template <class Model>
[[nodiscard]] form naive_broadcast(const wire<Model>& w, const data& d, int size) {
    return {(size - 2) * w.send(d.whole()) + w.message(d.whole()), w.plain()};
}

} // namespace tutti::model::detail

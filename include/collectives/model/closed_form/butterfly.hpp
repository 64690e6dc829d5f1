// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "fold.hpp"
#include "form.hpp"

namespace tutti::model::detail {

/// Powers of two: log2 P (t(n) + n gamma). Others: see folded_s, which knows of no gap that a rank waits for when its
/// partner's data are there already.
template <class Model>
[[nodiscard]] form butterfly_allreduce(const wire<Model>& w, const data& d, int size) {
    const double t = w.message(d.whole()), each = w.reduce(d.whole()), held = w.hold(d.whole(), each);
    const folding f(size);
    const double rounds = f.rounds * (t + each) + (f.rounds - 1) * held;
    const double seconds = f.extra == 0 ? rounds : folded_s(w, f, t + each, rounds, t + held);
    const bool no_gap = w.send(d.whole()) <= w.receive(d.whole()) + each;
    return {seconds, w.plain() && w.answers_at_once() && (f.extra == 0 || (w.receives_alone() && no_gap))};
}

} // namespace tutti::model::detail

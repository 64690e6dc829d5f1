// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "data.hpp"
#include "fold.hpp"
#include "form.hpp"

namespace tutti::model::detail {

/// Powers of two: log2 P (t(n) + n gamma). Others: see folded_s.
template <class Model>
[[nodiscard]] form butterfly_allreduce(const wire<Model>& w, const data& d, int size) {
    const double t = w.message(d.whole()), round = t + w.reduce(d.whole());
    const folding f(size);
    const double seconds = f.extra == 0 ? f.rounds * round : folded_s(w, f, round, f.rounds * round, t);
    return {seconds, w.plain() && w.answers_at_once()};
}

} // namespace tutti::model::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "price.hpp"

#include "estimate.hpp"

namespace tutti::model {

TUTTI_INLINE double price_s(const collective& c, const topology& on, const machine& m) {
    detail::examine(c, "price_s");
    if (detail::soon_simulated(c, on, m)) return detail::simulated_s(c, on, m);
    return detail::estimate_s(c, on, m);
}

TUTTI_INLINE double price_s(const collective& c, const topology& on, const calibrated_machine& m) {
    const double by_parameters = price_s(c, on, static_cast<const machine&>(m));
    return on.ranks_per_node >= c.size ? by_parameters * m.residual.factor(c) : by_parameters;
}

} // namespace tutti::model

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "closed_form.hpp"
#include "collective.hpp"
#include "machine.hpp"
#include "residuals.hpp"
#include "simulate.hpp"
#include "topology.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tutti::model {

namespace detail {

/// A link's LogGP for messages of about so many bytes: the mean of what their bytes cost. Where processors copy, each
/// byte takes time at either end.
[[nodiscard]] inline loggp around(const link& l, std::size_t bytes) noexcept {
    const double n = static_cast<double>(std::max<std::size_t>(bytes, 1));
    loggp p = l.at(bytes);
    p.gap_s_per_byte = std::max(l.sum(n, &loggp::gap_s_per_byte), 2 * l.sum(n, &loggp::overhead_s_per_byte)) / n;
    p.gamma_s_per_byte = l.sum(n, &loggp::gamma_s_per_byte) / n;
    return p;
}

/// How many ranks share a core, at least: so many times as long do their processors take.
[[nodiscard]] inline double ranks_per_core(const topology& on, const machine& m) noexcept {
    return m.cores > 0 ? std::max(1.0, static_cast<double>(on.ranks_per_node) / m.cores) : 1;
}

/// Simulating takes longer than choosing may, and symmetry is all that is left to see.
[[nodiscard]] constexpr bool many(int ranks) noexcept { return ranks > 32; }

} // namespace detail

/// How long a call is predicted to take, in seconds: simulated for up to 32 ranks, their cores and ports shared as the
/// machine says; by the closed form for more, where all algorithms but hierarchical ones are priced by the link between
/// nodes, and ranks that share a core take as many times as long; infinite where no form is known. Cost: up to some
/// milliseconds.
[[nodiscard]] inline double price_s(const collective& c, const topology& on, const machine& m) {
    if (!detail::many(c.size)) return simulate(c, m, on.ranks_per_node).finish_s;
    const std::size_t piece = c.bytes / static_cast<std::size_t>(c.how.chunks(c.size) * c.segments);
    const loggp near = detail::around(m.near, piece), far = detail::around(m.far, piece);
    auto form = closed_form(c, near, far);
    if (!form) form = closed_form(c, on.ranks_per_node < c.size ? far : near);
    return form ? form->seconds * detail::ranks_per_core(on, m) : std::numeric_limits<double>::infinity();
}

/// The same, corrected where it is simulated and all ranks are on one node, which is where calls were measured.
[[nodiscard]] inline double price_s(const collective& c, const topology& on, const calibrated_machine& m) {
    const double by_parameters = price_s(c, on, static_cast<const machine&>(m));
    const bool as_measured = !detail::many(c.size) && on.ranks_per_node >= c.size;
    return as_measured ? by_parameters * m.residual.factor(c) : by_parameters;
}

} // namespace tutti::model

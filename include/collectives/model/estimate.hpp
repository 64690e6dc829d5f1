// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../choice/topology.hpp"
#include "closed_form.hpp"
#include "collective.hpp"
#include "counts.hpp"
#include "machine.hpp"
#include "simulate.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

/// The parts of price_s().
namespace tutti::model {

namespace detail {

/// A link's LogGP for messages of about so many bytes: the mean of what their bytes cost. Where processors copy, each
/// byte takes time at either end.
[[nodiscard]] inline loggp around(const link& l, std::size_t bytes, receiver_rule rule) noexcept {
    const double ends = rule == receiver_rule::hockney ? 1 : 2; // at one port, or at either end
    const double n = static_cast<double>(std::max<std::size_t>(bytes, 1));
    loggp p = l.at(bytes);
    p.gap_s_per_byte = std::max(l.sum(n, &loggp::gap_s_per_byte), ends * l.sum(n, &loggp::overhead_s_per_byte)) / n;
    p.gamma_s_per_byte = l.sum(n, &loggp::gamma_s_per_byte) / n;
    return p;
}

/// How many ranks share a core, at least: so many times as long do their processors take.
[[nodiscard]] inline double ranks_per_core(const topology& on, const machine& m) noexcept {
    return m.cores > 0 ? std::max(1.0, static_cast<double>(on.ranks_per_node) / m.cores) : 1;
}

inline constexpr int always_simulated = 32; ///< ranks

/// Whether one rank may stand for all, and does where there are many.
[[nodiscard]] inline bool one_for_all(const collective& c, const topology& on, const machine& m) noexcept {
    const bool one_node = on.ranks_per_node >= c.size;
    const machine scarce = without_plenty(m, std::min(on.ranks_per_node, c.size), one_node);
    return c.size > always_simulated && (one_node || on.ranks_per_node == 1) && c.how.steps_rotate(c.what) &&
           !has_contention(scarce, {});
}

/// So many messages of one candidate are simulated in some milliseconds.
inline constexpr std::size_t soon = std::size_t{1} << 14;

/// Whether simulating a call takes no longer than so many messages do, or less where one rank stands for all. The
/// messages are judged by those of the rank next to the root, which is like most.
[[nodiscard]] inline bool soon_simulated(const collective& c, const topology& on, const machine& m,
                                         std::size_t most_messages = soon) {
    if (c.size <= always_simulated || one_for_all(c, on, m)) return true;
    std::vector<schedule::step> steps;
    c.how.walk(c.what, {(c.root + 1) % c.size, c.size, c.root, c.in_place}, c.segments, steps);
    const auto sent = std::count_if(steps.begin(), steps.end(), [](const schedule::step& s) { return sends(s); });
    return static_cast<std::size_t>(sent) * static_cast<std::size_t>(c.size) <= most_messages;
}

[[nodiscard]] inline double simulated_s(const collective& c, const topology& on, const machine& m) {
    simulation_settings s;
    s.receiver = m.receiver;
    if (one_for_all(c, on, m)) s.symmetric_beyond = 0;
    return simulate(c, m, on, s).finish_s;
}

/// The time by a closed form, of messages that are cheap to send between nodes or dear; infinite where no form is
/// known.
[[nodiscard]] inline double uncontended_s(const collective& c, const topology& on, const loggp& near, const loggp& far,
                                          receiver_rule rule) {
    auto form = closed_form(c, near, far, rule);
    if (!form) form = closed_form(c, on.ranks_per_node < c.size ? far : near, rule);
    return form ? form->seconds : std::numeric_limits<double>::infinity();
}

/// What adapters that ranks share, and a network that carries less than all send, need at least; and what many senders
/// to one rank cost on top.
struct congestion {
    double least_s = 0, on_top_s = 0;
};
[[nodiscard]] inline congestion congested(const collective& c, const topology& on, const machine& m,
                                          double gap_s_per_byte) {
    const double fan_in = c.how.stated(c.what, c.size).fan_in, beyond = std::max(fan_in - m.fan_in.threshold, 0.);
    const bool free = m.nics == 0 && m.oversubscription <= 1 && (m.fan_in.epsilon_s_per_byte <= 0 || beyond <= 0);
    if (free) return {};
    counts of;
    collective whole = c;
    whole.segments = 1; // which changes no bytes
    estimate_traffic(of, whole, on);
    congestion k;
    // Of w messages the first waits with w - 1 others, the last with none.
    const double share = beyond > 0 ? beyond * (beyond + 1) / (2 * fan_in) : 0;
    k.on_top_s = share * static_cast<double>(of.received.most) * m.fan_in.epsilon_s_per_byte;
    if (!of.levels) return k;
    const double adapters = m.nics > 0 ? std::min(m.nics, on.ranks_per_node) : on.ranks_per_node;
    const double network = adapters * on.nodes() / m.oversubscription;
    k.least_s = gap_s_per_byte * std::max(static_cast<double>(of.levels->node_sent_max) / adapters,
                                          static_cast<double>(of.levels->far) / network);
    return k;
}

[[nodiscard]] inline std::size_t mean_chunk_bytes(const collective& c) {
    const std::size_t vectors = c.bytes * static_cast<std::size_t>(schedule::vectors_of(c.what, c.size));
    return vectors / static_cast<std::size_t>(c.how.chunks(c.what, c.size) * c.segments);
}

/// The estimate of a call that is not simulated.
[[nodiscard]] inline double estimate_s(const collective& c, const topology& on, const machine& m) {
    const std::size_t piece = mean_chunk_bytes(c);
    const auto [least_s, on_top_s] = congested(c, on, m, around(m.far, piece, m.receiver).gap_s_per_byte);
    const double apart_s =
        uncontended_s(c, on, around(m.near, piece, m.receiver), around(m.far, piece, m.receiver), m.receiver) *
        ranks_per_core(on, m);
    return std::max(apart_s, least_s) + on_top_s;
}

} // namespace detail

} // namespace tutti::model

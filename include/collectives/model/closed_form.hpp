// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "closed_form/hierarchical.hpp"
#include "closed_form/lower_bounds.hpp"
#include "simulation/settings.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>

namespace tutti::model {

namespace detail {

[[nodiscard]] inline std::optional<form> form_by_rule(const collective& c, const loggp& near, const loggp& far,
                                                      receiver_rule rule) {
    const auto as_hockney = [](const loggp& p) {
        return hockney{p.latency_s + 2 * p.overhead_s, std::max(p.gap_s_per_byte, p.overhead_s_per_byte),
                       p.gamma_s_per_byte};
    };
    if (rule == receiver_rule::full_duplex) return form_of(c, full_duplex{near}, full_duplex{far});
    if (rule == receiver_rule::serial) return form_of(c, near, far);
    return form_of(c, as_hockney(near), as_hockney(far));
}

} // namespace detail

/// What a call takes by a formula, for any number of ranks: in a time and memory that hardly depend on it. Nothing
/// where no form is known: for an operation that the algorithm does not offer, and an algorithm without a member
/// `closed_form`, or that only the program knows and has not added (add_closed_form). Throws
/// tutti::error(invalid_argument) where there are no ranks, segments or bytes in an element, or the root is none of the
/// ranks.
///
/// Charged is each message, not each round: under Hockney's model alpha + m beta, one send and one receive at a time at
/// each rank; under LogGP, where messages are eager, o at the sender, and o + (m - 1)G at the receiver once the first
/// byte is there, in one processor a rank. Copies within a rank cost nothing.
///
/// Exact where g <= L + 2o, there is no O, and L, o and g are not all 0. By algorithm, and unless said otherwise for
/// any P and n in one segment:
/// - naive, binomial_tree, ring, butterfly;
/// - one_shot, where LogGP's L is as long as (P-2) max(o, g + (n-1)G), so that all is sent when the first arrives;
/// - parameter_server, direct: likewise of shards, if these are equally long; direct's allreduce with up to 8 ranks, or
///   with reductions that cost nothing;
/// - halving_doubling: P a power of two and P | n; under Hockney's model its reduce_scatter for any P and n;
/// - chain, in as many segments as divide n, where no two steps of a rank are ready at one time;
/// - circulant, bruck: P | n, and numbers of ranks of which each round needs what the one before brought;
/// - hierarchical, an allreduce: equal nodes and chunks, and parts that are exact, do not send to
///   all ranks at once and, the local one, exact for all ranks alike; other operations where there is one level, and
///   Global's form is exact;
/// - double_binary_tree, scatter_allgather, reduce_scatter_gather, hillis_steele, butterfly_of: never.
/// Estimates are within a factor of two of what the schedule takes; the double binary tree's may be up to three
/// times that, and off by more where g > L + 2o.
template <class Model>
    requires(std::same_as<Model, hockney> || std::same_as<Model, loggp>)
[[nodiscard]] std::optional<form> closed_form(const collective& c, const Model& p) {
    detail::examine(c, "closed_form");
    return detail::form_of(c, p, p);
}

/// The same under LogGP, as the rule charges it: by default `serial`, of which the above is said. Under `full_duplex` a
/// processor works while its port takes in, so that what comes too early waits in an order that no form knows:
/// binomial_tree's reduce and butterfly are exact for powers of two only, and naive's reduce to rank 0. By Hockney's
/// rule, his alpha is L + 2o.
[[nodiscard]] inline std::optional<form> closed_form(const collective& c, const loggp& p, receiver_rule rule) {
    detail::examine(c, "closed_form");
    return detail::form_by_rule(c, p, p, rule);
}

/// The same where there is one thing between the ranks of a node and another between nodes. Only a hierarchical
/// algorithm keeps the two apart; its nodes are taken for the machine's, and others have no such form.
template <class Model>
    requires(std::same_as<Model, hockney> || std::same_as<Model, loggp>)
[[nodiscard]] std::optional<form> closed_form(const collective& c, const Model& near, const Model& far) {
    detail::examine(c, "closed_form");
    if (!c.how.has_levels()) return std::nullopt;
    return detail::form_of(c, near, far);
}
/// The same between nodes, by a rule.
[[nodiscard]] inline std::optional<form> closed_form(const collective& c, const loggp& near, const loggp& far,
                                                     receiver_rule rule) {
    detail::examine(c, "closed_form");
    if (!c.how.has_levels()) return std::nullopt;
    return detail::form_by_rule(c, near, far, rule);
}

/// Only the time.
[[nodiscard]] inline std::optional<double> closed_form_s(const collective& c, const hockney& p) {
    const auto f = closed_form(c, p);
    return f ? std::optional(f->seconds) : std::nullopt;
}
/// Only the time, in seconds, under LogGP.
[[nodiscard]] inline std::optional<double> closed_form_s(const collective& c, const loggp& p) {
    const auto f = closed_form(c, p);
    return f ? std::optional(f->seconds) : std::nullopt;
}

/// Into how many segments the double binary tree's halves are best cut, by its closed form, which falls and then rises
/// with them: as many as balance what the first one takes through all levels with what each further one adds, for
/// Hockney's about sqrt((h - 1) beta n / 2 alpha) for trees of height h. At most one for each element of a half; 1 for
/// all other algorithms, in which every rank is busy anyway. Takes the logarithm of that many evaluations.
template <class Model>
[[nodiscard]] int best_segments(collective c, const Model& p) {
    if (c.how.most_segments() == 1) return 1;
    detail::examine(c, "best_segments");
    constexpr std::size_t most = 1 << 16;
    const auto seconds = [&](int segments) {
        c.segments = segments;
        return detail::form_of(c, p, p)->seconds;
    };
    int low = 1, high = static_cast<int>(std::clamp<std::size_t>(c.bytes / c.element_bytes / 2, 1, most));
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (seconds(middle) <= seconds(middle + 1))
            high = middle;
        else
            low = middle + 1;
    }
    return seconds(1) <= seconds(low) ? 1 : low; // where messages cost nothing, the form may rise before it falls
}

} // namespace tutti::model

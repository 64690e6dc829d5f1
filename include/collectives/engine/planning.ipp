// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "planning.hpp"

#include "../../base/error.hpp"
#include "../algorithm/direct.hpp"
#include "../algorithm/naive.hpp"
#include "../schedule/lowering/lower.hpp"
#include "../schedule/lowering/split.hpp"
#include "../schedule/lowering/start.hpp"
#include "../schedule/verify/shape.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tutti::engine {

namespace detail {

/// The steps of each rank name only chunks that its input or its output has.
[[nodiscard]] TUTTI_INLINE bool is_local(const call& c, schedule::position at) {
    const int chunks = c.how.chunks(c.what, at.size) * c.segments;
    std::vector<schedule::step> steps;
    for (at.rank = 0; at.rank < at.size; ++at.rank) {
        const auto in = window(c.what, at, schedule::buffer::input, chunks);
        const auto out = window(c.what, at, schedule::buffer::output, chunks);
        steps.clear();
        c.how.walk(c.what, at, c.segments, steps);
        const bool is_own = std::all_of(steps.begin(), steps.end(), [&](const schedule::step& s) {
            const schedule::place x = receives(s) ? s.to : s.from;
            return in.holds(x) || out.holds(x);
        });
        if (!is_own) return false;
    }
    return true;
}
/// No rank hands on another one's part. All ranks have to find the same, so this walks all of them, in both modes; but
/// not those of naive and direct, which are known to be so.
[[nodiscard]] TUTTI_INLINE bool hands_nothing_on(const call& c, schedule::position at) {
    if (c.how.target<algorithm::naive>() || c.how.target<algorithm::direct>()) return true;
    bool local = true;
    for (const bool in_place : {false, true}) {
        at.in_place = in_place;
        local = local && is_local(c, at);
    }
    return local;
}

/// Refuses steps that could harm memory or reorder operands. verify proves the result.
TUTTI_COLD TUTTI_INLINE void check_steps(const call& c, const schedule::position& at,
                                         const std::vector<schedule::step>& steps,
                                         const std::vector<schedule::part>& parts) {
    schedule::program p{c.what, at.size,   at.root, at.in_place, c.how.chunks(c.what, at.size) * c.segments,
                        {},     c.segments};
    p.ranks.resize(static_cast<std::size_t>(at.size));
    p.ranks[static_cast<std::size_t>(at.rank)] = steps;
    p.parts.resize(p.ranks.size());
    p.parts[static_cast<std::size_t>(at.rank)] = parts;
    if (const auto f = schedule::detail::shapes_of(p); f.what != schedule::flaw::none)
        reject(in_words(c), "the schedule is not one: " + message_of(schedule::detail::told(f, p, p)),
               "have algorithm::prove look at the algorithm");
    if (c.lengths && !c.lengths->known_to_all() && !hands_nothing_on(c, at))
        reject(in_words(c),
               std::string(c.how.name()) + " has ranks hand on parts of other ranks, whose lengths they do not know",
               "let the library choose, or take naive or direct");
    if (c.keeps_order && !c.keeps_order(c.how, c.what, at.size, at.root))
        reject(in_words(c), std::string(c.how.name()) + " does not keep rank order, which the operator needs");
}

/// The steps of an algorithm, checked, as this call needs them: changed where its input is, or where its parts do not
/// lie one after the other.
TUTTI_COLD [[nodiscard]] TUTTI_INLINE std::vector<schedule::step> steps_of(const call& c,
                                                                           const schedule::position& at) {
    c.how.require_runs_on(c.what, at.size);
    const int chunks = c.how.chunks(c.what, at.size) * c.segments;
    const schedule::position from = c.starter.run ? schedule::before_start(c.what, at, chunks) : at;
    std::vector<schedule::step> steps;
    std::vector<schedule::part> parts;
    c.how.walk(c.what, from, c.segments, steps, &parts);
    check_steps(c, from, steps, parts);
    c.how.require_usable(c.what, at.size, at.root, c.segments);
    if (c.starter.run && schedule::scratch_windows(steps).size() >= 65'536)
        reject(in_words(c), "the schedule has no scratch bank left for the multiplied input", "use fewer");
    if (c.starter.run) steps = schedule::started(c.what, at, chunks, steps);
    if (const auto displaced = displaced_of(c); displaced.any())
        steps = schedule::split_at_parts(c.what, at.size, chunks, displaced, std::move(steps));
    return steps;
}

/// The plan for an executor: no receive_reduce, and no viewed message.
TUTTI_COLD TUTTI_INLINE std::shared_ptr<const schedule::plan>
lowered_plan_of(const call& c, const schedule::position& at, std::vector<schedule::step> steps) {
    if (!schedule::can_be_lowered(steps))
        reject(in_words(c), "the schedule has more scratch banks than an executor can be given", "use fewer");
    auto made = schedule::compile(c.what, at, c.how.chunks(c.what, at.size), c.segments,
                                  lowered(std::move(steps), at.in_place));
    made.dependencies.viewed = {};
    made.answered = {};
    return std::make_shared<const schedule::plan>(std::move(made));
}

} // namespace detail

TUTTI_INLINE std::shared_ptr<const schedule::plan> plan_of(const call& c, const schedule::position& at) {
    std::vector<schedule::step> steps = detail::steps_of(c, at);
    if (c.by) return detail::lowered_plan_of(c, at, std::move(steps));
    if (!schedule::can_be_packed(steps))
        reject(in_words(c), "the schedule joins more parts than there are scratch banks for", "join fewer");
    return std::make_shared<const schedule::plan>(
        schedule::compile(c.what, at, c.how.chunks(c.what, at.size), c.segments, schedule::packed(std::move(steps))));
}

} // namespace tutti::engine

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "messages.hpp"
#include "step.hpp"

#include <cstddef>
#include <vector>

namespace tutti::training::pipeline {

/// Where a walk ends that cannot go on: a step, and the message that never passes.
struct standstill {
    position at;      ///< the first worker's; none if all came to their ends
    int message = -1; ///< what it waits for
};

/// Walks the lists of all workers without any buffering. A message passes when both of its ends have started, and a
/// step starts when all messages have passed that it needs. `visit(worker, step, needs)` is called for each step when
/// it starts: after all steps before it on its worker, and after both ends of the messages that it needs. Which worker
/// goes first changes nothing of where the walk ends, since a step that could start once can always.
/// Preconditions: slots are 0 or more, and each message has one end of each kind. Cost: linear in steps, times workers
/// at worst.
template <class Visit>
[[nodiscard]] standstill walk(const program& p, Visit visit) {
    const auto workers = static_cast<std::size_t>(p.of.stages);
    std::vector<char> ends(static_cast<std::size_t>(messages_of(p.of)), 0); // started, of the two
    std::vector<std::size_t> next(workers, 0);
    std::vector<std::vector<needs>> all;
    for (const auto& steps : p.workers) all.push_back(needs_of(p.of, steps));
    const auto waits = [&](int message) { return message >= 0 && ends[static_cast<std::size_t>(message)] < 2; };
    const auto advance = [&](std::size_t w) {
        const std::size_t from = next[w];
        for (; next[w] < p.workers[w].size(); ++next[w]) {
            const needs& n = all[w][next[w]];
            if (waits(n.arrival) || waits(n.sent)) break;
            const step& s = p.workers[w][next[w]];
            if (communicates(s)) ++ends[static_cast<std::size_t>(message_of(p.of, s))];
            visit(static_cast<int>(w), static_cast<int>(next[w]), n);
        }
        return next[w] > from;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t w = 0; w < workers; ++w) moved = advance(w) || moved;
    }
    for (std::size_t w = 0; w < workers; ++w) {
        if (next[w] == p.workers[w].size()) continue;
        const needs& n = all[w][next[w]];
        return {{static_cast<int>(w), static_cast<int>(next[w])}, waits(n.arrival) ? n.arrival : n.sent};
    }
    return {};
}

} // namespace tutti::training::pipeline

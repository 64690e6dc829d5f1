// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "step.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tutti::training::pipeline {

/// What a worker holds at most, and how old its gradients are.
struct figures {
    int activations = 0; ///< slots
    /// Versions of the weights from the oldest that is still needed to the latest. So version v may lie in place v
    /// modulo this number.
    int versions = 1;
    /// Updates of the worker between the weights with which a gradient was computed and those to which it is applied.
    int staleness = 0;
    friend constexpr bool operator==(const figures&, const figures&) = default;
};

/// What a schedule promises for a shape.
struct promise {
    std::vector<figures> workers; ///< at most so much on each
    bool one_version = true;      ///< all chunks of the model use the same version for a microbatch
};

/// Throws invalid_argument for a shape that there is not, or one with more chunks a worker than the schedule takes.
inline void examine(const shape& s, std::string_view schedule, bool takes_chunks) {
    const std::string call = "pipeline " + std::string(schedule);
    if (!is_possible(s)) reject(call, std::string(possible_shapes));
    if (s.chunks > 1 && !takes_chunks) reject(call, "this schedule has one chunk a worker", "take interleaved");
}

/// The program of a schedule. Throws invalid_argument for a shape that it does not take. Cost: linear in the steps,
/// times the slots.
template <class Schedule>
[[nodiscard]] program write(const shape& s) {
    examine(s, Schedule::name, Schedule::takes_chunks);
    program p{s, {}};
    for (int worker = 0; worker < s.stages; ++worker) p.workers.push_back(Schedule::steps(s, worker));
    return p;
}

/// What a schedule promises. Throws as write() does.
template <class Schedule>
[[nodiscard]] promise promise_of(const shape& s) {
    examine(s, Schedule::name, Schedule::takes_chunks);
    promise all{{}, Schedule::one_version};
    for (int worker = 0; worker < s.stages; ++worker) all.workers.push_back(Schedule::promises(s, worker));
    return all;
}

} // namespace tutti::training::pipeline

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step.hpp"

#include <cstddef>
#include <vector>

namespace tutti::training::pipeline {

/// A step of a program; of none, -1.
struct position {
    int worker = -1; ///< whose
    int step = -1;   ///< its number in the worker's list, from 0
    /// There is one.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return worker >= 0; }
};

/// The two ends of a message.
struct message_ends {
    position send;    ///< where it is sent
    position receive; ///< where it is received
};

/// The ends of all messages, by message_of().
[[nodiscard]] inline std::vector<message_ends> ends_of(const program& p) {
    std::vector<message_ends> all(static_cast<std::size_t>(messages_of(p.of)));
    for (int w = 0; w < p.of.stages; ++w) {
        const auto& steps = p.workers[static_cast<std::size_t>(w)];
        for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
            const step& s = steps[static_cast<std::size_t>(i)];
            if (!communicates(s)) continue;
            message_ends& m = all[static_cast<std::size_t>(message_of(p.of, s))];
            (sends(s) ? m.send : m.receive) = {w, i};
        }
    }
    return all;
}

/// The messages that must have passed before a step starts; -1 is none.
struct needs {
    int arrival = -1; ///< whose data it reads
    int sent = -1;    ///< whose data it overwrites, at the end where they are sent
};

/// What each step of a worker waits for. Precondition: slots are 0 or more.
[[nodiscard]] inline std::vector<needs> needs_of(const shape& of, const std::vector<step>& steps) {
    const auto number = [&](action what, const step& s) { return message_of(of, {what, s.microbatch, s.chunk, 0, 0}); };
    std::vector<int> from_slot; // the last message sent from it
    int gradient = -1;          // the last that was sent
    std::vector<needs> all(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const step& s = steps[i];
        const auto slot = static_cast<std::size_t>(uses_slot(s) ? s.slot : 0);
        if (slot >= from_slot.size()) from_slot.resize(slot + 1, -1);
        if (s.what == action::forward && s.chunk > 0) all[i].arrival = number(action::receive_activation, s);
        if (s.what == action::backward && s.chunk + 1 < chunks_of(of))
            all[i].arrival = number(action::receive_gradient, s);
        const bool fills_slot = s.what == action::receive_activation || (s.what == action::forward && s.chunk == 0);
        if (fills_slot) all[i].sent = from_slot[slot];
        if (s.what == action::backward && s.chunk > 0) all[i].sent = gradient;
        if (s.what == action::send_activation) from_slot[slot] = message_of(of, s);
        if (s.what == action::send_gradient) gradient = message_of(of, s);
    }
    return all;
}

} // namespace tutti::training::pipeline

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../in_words.hpp"
#include "../messages.hpp"
#include "../step.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::training::pipeline::detail {

/// What is wrong with a step whatever the others do, or nothing.
[[nodiscard]] inline std::string misnamed(const shape& of, int worker, const step& s) {
    if (!communicates(s) && s.version < 0) return "there is no such version";
    if (uses_slot(s) && (s.slot < 0 || s.slot >= of.microbatches * of.chunks)) return "there is no such slot";
    if (s.what == action::update) return {};
    if (s.microbatch < 0 || s.microbatch >= of.microbatches) return "there is no such microbatch";
    if (s.chunk < 0 || s.chunk >= chunks_of(of)) return "there is no such chunk";
    if (worker_of(of, s.chunk) != worker) return "the chunk lives on worker " + std::to_string(worker_of(of, s.chunk));
    if (communicates(s) && (other_chunk(s) < 0 || other_chunk(s) >= chunks_of(of)))
        return "there is no chunk at the other end";
    return {};
}

/// The first step that names what there is not, or a list too many or too few.
[[nodiscard]] inline std::string form_fault(const program& p) {
    if (!is_possible(p.of)) return std::string(possible_shapes);
    if (p.workers.size() != static_cast<std::size_t>(p.of.stages))
        return "there are " + std::to_string(p.workers.size()) + " lists of steps for " + std::to_string(p.of.stages) +
               " workers";
    for (int w = 0; w < p.of.stages; ++w) {
        const auto& steps = p.workers[static_cast<std::size_t>(w)];
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (const auto fault = misnamed(p.of, w, steps[i]); !fault.empty())
                return in_words(p, w, static_cast<int>(i)) + ": " + fault;
    }
    return {};
}

/// The first message that lacks an end. One that is sent or received twice is a fault of the worker's memory.
[[nodiscard]] inline std::string unmatched_fault(const program& p, const std::vector<message_ends>& ends) {
    for (const message_ends& m : ends) {
        if (!m.send && m.receive)
            return in_words(p, m.receive.worker, m.receive.step) + " never completes: nobody sends it";
        if (m.send && !m.receive)
            return in_words(p, m.send.worker, m.send.step) + " never completes: nobody receives it";
    }
    return {};
}

} // namespace tutti::training::pipeline::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step.hpp"

#include <string>

namespace tutti::training::pipeline {

/// "receive_gradient of microbatch 3 on chunk 1", "update to version 2"
[[nodiscard]] inline std::string in_words(const step& s) {
    using std::to_string;
    const std::string name(name_of(s.what));
    if (s.what == action::update) return name + " to version " + to_string(s.version);
    return name + " of microbatch " + to_string(s.microbatch) + " on chunk " + to_string(s.chunk);
}

/// "worker 2, step 14 (forward of microbatch 3 on chunk 1)"; steps count from 0.
[[nodiscard]] inline std::string in_words(const program& p, int worker, int step) {
    return "worker " + std::to_string(worker) + ", step " + std::to_string(step) + " (" +
           in_words(p.workers[static_cast<std::size_t>(worker)][static_cast<std::size_t>(step)]) + ")";
}

} // namespace tutti::training::pipeline

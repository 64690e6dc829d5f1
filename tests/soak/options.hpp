// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tutti::soak {

struct options {
    double seconds = 60;
    std::uint64_t seed = 0;
    std::optional<std::uint64_t> world; ///< this one alone
    int jobs = 1;                       ///< worlds at a time
    std::string json;
    bool verbs = false;                       ///< what was drawn to go between processes goes over verbs
    std::chrono::milliseconds deadline{2000}; ///< of calls in worlds with a fault
    std::chrono::milliseconds slack{0};
};

/// Throws std::invalid_argument with a sentence. Nothing: help was asked for and given.
[[nodiscard]] std::optional<options> parsed(int count, char** arguments);

/// The command that repeats a world.
[[nodiscard]] std::string command_for(const options& o, std::uint64_t world);

} // namespace tutti::soak

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>
#include <cstring>
#include <string>

#include <fmt/format.h>

namespace tutti::tools {

/// How a rank ended.
struct ending {
    enum class way : unsigned char { exited, signalled, lost };

    int rank = -1;
    way how = way::exited;
    int number = 0;    ///< the exit status, or the signal
    std::string where; ///< its host, if there are several; of a lost rank, what became of its host
    double after_s = 0;

    [[nodiscard]] bool well() const noexcept { return how == way::exited && number == 0; }
    /// Rather a cause than a consequence. SIGABRT is how an error ends that nobody catches: rather a consequence.
    [[nodiscard]] bool causal() const noexcept {
        return how == way::lost || (how == way::signalled && number != SIGABRT);
    }
    /// As a shell has it; 1 for a lost rank.
    [[nodiscard]] int status() const noexcept {
        return how == way::exited ? number : how == way::signalled ? 128 + number : 1;
    }
    /// "rank 2 was ended by signal 9 (SIGKILL) after 1.3 s"
    [[nodiscard]] std::string text() const {
        if (how == way::lost) return fmt::format("rank {} was lost after {:.1f} s: {}", rank, after_s, where);
        const std::string who =
            where.empty() ? fmt::format("rank {}", rank) : fmt::format("rank {} on {}", rank, where);
        if (how == way::exited) return fmt::format("{} exited with status {} after {:.1f} s", who, number, after_s);
        const char* name = sigabbrev_np(number);
        return fmt::format("{} was ended by signal {} ({}{}) after {:.1f} s", who, number, name ? "SIG" : "",
                           name ? name : "unknown", after_s);
    }
};

} // namespace tutti::tools

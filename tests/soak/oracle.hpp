// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stage.hpp"

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace tutti::soak {

/// What can be wrong with a world.
enum class flaw : std::uint8_t {
    hang,        ///< a rank did not end
    crash,       ///< a rank ended by a signal that nobody had sent, or by another exception than tutti::error
    wrong_sum,   ///< a result, or memory beside it
    false_alarm, ///< an error although all was well
    wrong_blame, ///< another rank or cause was named
    untold,      ///< a rank got no error although it should have
    late,        ///< the error came later than a second after the deadline
    leftover,    ///< descriptors, threads, processes, files
};
inline constexpr std::array flaws_in_words{"hangs",        "crashes", "wrong sums", "false alarms",
                                           "wrong blames", "untold",  "late",       "leftovers"};

struct finding {
    flaw what;
    std::string text;
};

/// Says what is wrong with a world that was performed. `slack`: so much later than promised an error may come.
[[nodiscard]] std::vector<finding> judge(const plan& p, const reports& all, const outcome& seen,
                                         std::chrono::milliseconds slack);

/// Each rank's report in words, a line each.
[[nodiscard]] std::string in_words(const plan& p, const reports& all, const outcome& seen);

} // namespace tutti::soak

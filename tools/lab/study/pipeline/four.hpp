// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace tutti::tools::study::pipeline {

/// A schedule as the study runs it.
struct shown_schedule {
    const char* words;         ///< as papers call it
    std::string_view schedule; ///< its name
    int chunks;                ///< on a worker
};

/// Those that are compared.
inline constexpr std::array<shown_schedule, 4> four{{{"GPipe", "gpipe", 1},
                                                     {"1F1B", "one_f_one_b", 1},
                                                     {"interleaved, 2 chunks", "interleaved", 2},
                                                     {"PipeDream", "pipedream", 1}}};

} // namespace tutti::tools::study::pipeline

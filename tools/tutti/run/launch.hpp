// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "binding.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

/// What a local launch starts, and how long it waits when something goes wrong.
struct launch_options {
    std::vector<std::string> command; ///< the program, looked up in PATH, and its arguments
    int ranks = 1;
    std::vector<int> pretended{}; ///< the number of the host that each rank is pretended to have; empty: no pretence
    std::string address;          ///< HOST:PORT at which the ranks meet; empty: chosen by the launch
    std::vector<std::pair<std::string, std::string>> environment; ///< set in every rank besides the TUTTI_ variables
    std::vector<int> inherited; ///< descriptors that the ranks keep, under the same numbers
    int plain_rank = -1;        ///< the output of this rank goes out as it is, unbuffered and without a prefix
    int output = 1;             ///< where standard output of the ranks goes
    int error = 2;              ///< where standard error goes

    std::chrono::milliseconds patience{3000}; ///< from the first failure until the others are sent SIGTERM
    std::chrono::milliseconds grace{5000};    ///< from SIGTERM (or a forwarded signal) until SIGKILL
    /// Once it has exited, the others have `last_patience` until SIGTERM; and so has any rank that alone is left.
    int last_rank = -1;
    std::chrono::milliseconds last_patience{5000};
    std::chrono::milliseconds limit{0};       ///< the longest that all may take together; 0: no limit
    std::function<void(int rank)> on_failure; ///< called for each rank that fails, within a moment
    binding bind{};                           ///< of the ranks to processors
    std::string program{}; ///< what is executed instead of the first word of `command`; empty: that word
};

/// How a launch ended.
struct launch_result {
    /// 0, the exit status of the first rank that failed, 128 + its signal, or 124 at the limit. Where no rank failed:
    /// 128 + SIGPIPE or 1 when the output could not be written; 1 when the ranks' last calls did not match.
    int status = 0;
    int first = -1;     ///< the rank that failed first
    std::string report; ///< "rank 2 was ended by signal 9 (SIGKILL) after 1.3 s"; empty when all went well
    int forwarded = 0;  ///< the first signal that came for this process, and was passed on; 0: none
};

/// Starts `ranks` processes on this host with TUTTI_RANK, TUTTI_SIZE, TUTTI_ADDRESS and a fresh TUTTI_SECRET, copies
/// their output line by line with the rank in front, forwards SIGINT, SIGTERM, SIGHUP and SIGQUIT to them, and returns
/// when the last one has ended. When a rank fails the others are ended too. None outlives the call, nor the caller.
/// Must be called from the only thread of the process. Reaps the children that it has already.
/// Throws std::runtime_error when the processes cannot be started, and std::invalid_argument when they cannot be bound;
/// those already started are ended first.
[[nodiscard]] launch_result launch(const launch_options& options);

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/control/status/reading.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::tools {

enum class rank_state : std::uint8_t {
    in_call,   ///< it is inside the library, with calls under way
    elsewhere, ///< it has calls under way, and has not looked at them for a second: its program computes, or an
               ///< operator
    outside,   ///< no call is under way
    stopped,   ///< by a signal or a debugger
    dead,      ///< its process has ended without leaving
    left,      ///< it has left in good order
    silent,    ///< on another host, and has not answered: it computes outside of all calls, or is stopped
    unknown,   ///< nothing is known of it
};

[[nodiscard]] std::string name_of(rank_state s);

/// What is known of a rank.
struct observed_rank {
    int rank = 0;
    rank_state state = rank_state::unknown;
    std::string host;
    std::int64_t pid = 0;
    bool is_here = false; ///< its page is on this host
    double age_s = 0;     ///< of what it told
    std::optional<transport::status::rank_told> told;
};

/// A world, seen from outside. Ranks are in order, all of them: of some nothing may be known.
struct observed_job {
    std::uint64_t world = 0;
    int size = 0, hosts = 1;
    int here = 0; ///< ranks whose pages are on this host
    std::int64_t joined_wall = 0;
    std::string command, zero_host, group;
    std::string remark; ///< why ranks of other hosts are not known; empty: they are, or there are none
    std::vector<observed_rank> ranks;
};

/// Ranks that are known to be dead.
[[nodiscard]] int dead_in(const observed_job& job);

/// The worlds of this user that have ranks on this host, the oldest first.
[[nodiscard]] std::vector<observed_job> observe_jobs();

/// Asks rank 0's process, if it is on this host, for the ranks that are not. Takes half a second at most, one and a
/// half where that process is stopped.
void ask_for_others(observed_job& job);

/// By what a living rank's page says.
[[nodiscard]] rank_state state_by_page(const transport::status::rank_told& r);

/// Seconds from a moment on a rank's page until it was copied.
[[nodiscard]] double seconds_since(const observed_rank& r, std::int64_t moment);

/// The calls under way that a rank's page tells of and that are not over: details of an earlier call are left out.
[[nodiscard]] std::vector<transport::status::call_told> calls_of(const observed_rank& r);

} // namespace tutti::tools

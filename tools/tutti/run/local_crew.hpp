// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "crew.hpp"
#include "descendants.hpp"
#include "launch.hpp"
#include "rank_output.hpp"
#include "stream.hpp"

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/types.h>

namespace tutti::tools {

/// Where the ranks of a launch meet.
struct meeting_point {
    std::string address; ///< HOST:PORT
    std::string secret;
};

/// Ranks that are processes of this host: a crew, see crew.hpp. Whatever happens, none is left when it ends; and where
/// one did not end well, or ranks were sent a signal, nothing that any has started. Children that this process has
/// before it are left alone, and reaped.
class local_crew {
public:
    static constexpr std::chrono::milliseconds settling{200};

    /// `ranks`: the numbers of those that are started here, out of `options.ranks`. The references must outlive it.
    local_crew(const launch_options& options, std::vector<int> ranks, meeting_point where, rank_output& to);
    local_crew(const local_crew&) = delete;
    ~local_crew();

    /// Throws std::runtime_error if one cannot be started, and std::invalid_argument if one cannot be bound.
    void start();

    [[nodiscard]] int running() const noexcept { return running_; }
    [[nodiscard]] bool unfinished() const noexcept;
    [[nodiscard]] bool silent() const noexcept;
    [[nodiscard]] bool held_up() const noexcept { return false; } // a rank's end is heard whoever reads
    void wait_for(std::vector<pollfd>& waiting);
    [[nodiscard]] bool hasty() const noexcept;
    void serve(std::span<const pollfd> ready);
    void reap();
    void signal(int number);
    [[nodiscard]] std::vector<ending> take_endings();
    [[nodiscard]] launch_failure take_failure() noexcept { return {}; }
    [[nodiscard]] supervision_clock::time_point due() const noexcept { return supervision_clock::time_point::max(); }
    void act(supervision_clock::time_point) noexcept {}

private:
    struct member {
        int rank;
        pid_t pid;
        stream output;
        stream error;
        bool running = true;
    };
    void start(int rank);
    void retire(member& m);

    descendants below_;
    bool thorough_ = false; // all that ranks have started is to end

    const launch_options& options_;
    std::vector<int> ranks_;
    meeting_point where_;
    rank_output& to_;
    std::vector<member> members_;
    std::vector<stream*> served_; // those that the last wait_for() has put into its list
    std::vector<ending> ended_;
    int running_ = 0;
};

} // namespace tutti::tools

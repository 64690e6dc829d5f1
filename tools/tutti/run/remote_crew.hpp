// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "agent_connection.hpp"
#include "agent_orders.hpp"
#include "crew.hpp"
#include "host_launch.hpp"
#include "told_output.hpp"

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <poll.h>

namespace tutti::tools {

/// Ranks on several hosts: a crew, see crew.hpp. It connects to all hosts at once; when all have answered, the ranks
/// are started. When it ends, or this process does, the agents see the end of their standard input and kill all ranks.
class remote_crew {
public:
    static constexpr std::chrono::milliseconds settling{500};

    /// The references must outlive it.
    remote_crew(const launch_options& options, const host_options& where, told_output& to);
    remote_crew(const remote_crew&) = delete;
    ~remote_crew();

    /// Throws std::runtime_error where no process can be started.
    void start();

    [[nodiscard]] int running() const noexcept { return running_; }
    [[nodiscard]] bool unfinished() const noexcept;
    [[nodiscard]] bool silent() const noexcept;
    [[nodiscard]] bool held_up() const noexcept;
    void wait_for(std::vector<pollfd>& waiting);
    [[nodiscard]] bool hasty() const noexcept;
    void serve(std::span<const pollfd> ready);
    void reap();
    void signal(int number);
    [[nodiscard]] std::vector<ending> take_endings();
    [[nodiscard]] launch_failure take_failure();
    [[nodiscard]] supervision_clock::time_point due() const noexcept;
    void act(supervision_clock::time_point now);

private:
    using clock = supervision_clock;
    static constexpr clock::time_point never = clock::time_point::max();

    enum class stage : unsigned char { calling, ready, running, done, gone };
    struct host {
        std::string name;
        std::vector<int> ranks;
        agent_connection line;
        stage at = stage::calling;
        agent_hello hello{};
        std::string fault{};                // why it is gone
        clock::time_point given_up = never; // its connection has ended; when its last words are waited for no more
        [[nodiscard]] bool open() const noexcept { return at < stage::done; }
    };
    struct rank_state {
        bool running = true;
        bool output_open = true;
        bool error_open = true;
    };

    [[nodiscard]] rank_state& state_of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool listens() const;
    [[nodiscard]] bool decided() const noexcept;
    [[nodiscard]] std::string address() const;
    void hear(host& h);
    void obey(host& h, const agent_frame& f);
    void obey_of_rank(host& h, const agent_frame& f);
    void retire(int rank);
    void close(host& h, stage last);
    void lose(host& h, std::string fault);
    void order();
    void refuse();
    void fail(int status, std::string report);
    void abandon();

    const launch_options& options_;
    const host_options& where_;
    told_output& to_;
    std::vector<host> hosts_;
    std::vector<host*> served_; // those that the last wait_for() has put into its list
    std::vector<rank_state> ranks_;
    std::vector<ending> ended_;
    launch_failure failure_;
    int running_;
    bool ordered_ = false; // the ranks are started
    clock::time_point reach_until_ = never;
    clock::time_point abandon_at_ = never;
};

} // namespace tutti::tools

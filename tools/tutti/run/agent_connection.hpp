// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "agent_frames.hpp"
#include "spawn.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

namespace tutti::tools {

/// The process that connects to a host (ssh), and what goes through it to the agent there and back. One thread.
class agent_connection {
public:
    static constexpr std::size_t entries = 3; ///< that it adds to a list for poll

    /// Starts `launch_agent`, a line of shell, with the host and a command for it that runs the agent of that `tutti`.
    /// Throws std::system_error where no process can be started.
    [[nodiscard]] static agent_connection to(const std::string& host, const std::string& launch_agent,
                                             const std::string& tutti);

    /// Queues a frame.
    void send(agent_frame::kind what, std::string_view text);
    /// Lets the agent end all that it has started.
    void close_input() noexcept { process_.input.reset(); }
    /// Sends a signal to the process and all that it has started here.
    void signal(int number) const;

    /// Appends `entries` entries. Without `listens`, what comes after the agent's greeting stays where it is.
    void wait_for(std::vector<pollfd>& waiting, bool listens) const;
    /// Reads and writes what poll says is there.
    void serve(std::span<const pollfd> ready);
    /// Whether serve() has something to do whatever poll says.
    [[nodiscard]] bool hasty() const noexcept { return exited_ && process_.output.open(); }

    [[nodiscard]] std::optional<agent_frame> next() { return frames_.next(); }
    [[nodiscard]] bool greeted() const noexcept { return frames_.greeted(); }
    [[nodiscard]] bool broken() const noexcept { return frames_.broken(); }
    /// Whether nothing more can come from the agent.
    [[nodiscard]] bool ended() const noexcept { return !process_.output.open(); }

    /// Looks whether the process has exited.
    void reap();
    [[nodiscard]] bool exited() const noexcept { return exited_; }

    /// The lines that the process has written to standard error since the last call, or that came before the greeting.
    [[nodiscard]] std::vector<std::string> take_lines();
    /// The last words of the process, else how it exited: why the connection has ended.
    [[nodiscard]] std::string last_words() const;

private:
    explicit agent_connection(child process);
    void write_some();
    void read_output();
    void read_error();
    void keep_lines(std::string_view text);

    child process_;
    std::string unsent_;
    agent_frame_reader frames_{false};
    std::string partial_line_; // of standard error
    std::vector<std::string> lines_;
    std::deque<std::string> last_lines_;
    bool exited_ = false;
    int wait_status_ = 0;
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/wait_ready.hpp"
#include "call_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <deque>
#include <string>

namespace tutti::transport::bootstrap {

/// Writes lines to standard error and never blocks. Lines that it does not take at once are kept and tried again, up to
/// max_lines. One thread at a time.
class stderr_writer {
public:
    static constexpr std::size_t max_lines = 256; ///< kept; further ones are lost
    static constexpr std::chrono::milliseconds pause{100};

    explicit stderr_writer(int descriptor = STDERR_FILENO) noexcept : out_(descriptor) {}

    TUTTI_COLD void say(const std::string& sentence) {
        std::string line = std::string(line_prefix) + sentence;
        line.resize(std::min<std::size_t>(line.size(), PIPE_BUF - 1)); // so much a pipe takes in whole, or not at all
        if (lines_.size() < max_lines) lines_.push_back(line + '\n');
        flush();
    }

    /// Writes without waiting.
    void flush() { finish(std::chrono::milliseconds(0)); }
    /// The same, and waits so long for room for a line.
    TUTTI_COLD void finish(std::chrono::milliseconds most) {
        for (; !lines_.empty() && wait_ready(out_, POLLOUT, std::chrono::steady_clock::now() + most);
             lines_.pop_front()) [[maybe_unused]]
            const auto n = ::write(out_, lines_.front().data(), lines_.front().size());
    }

    /// Nothing is kept.
    [[nodiscard]] bool idle() const noexcept { return lines_.empty(); }

private:
    int out_;
    std::deque<std::string> lines_;
};

} // namespace tutti::transport::bootstrap

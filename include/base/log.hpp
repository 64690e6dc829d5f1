// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "linkage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>

/// Lines for people about what is not told otherwise, where the variable TUTTI_LOG says. Without it nothing is made or
/// written. Any thread.
namespace tutti::detail::log {

/// "stderr", or a file; `%r` in it is the rank. Empty: there is no log.
[[nodiscard]] inline std::string_view place() noexcept {
    static const char* const set = std::getenv("TUTTI_LOG");
    return set ? set : "";
}
[[nodiscard]] inline bool is_on() noexcept { return !place().empty(); }

/// "2026-11-30T15:04:05.678Z", the time now.
TUTTI_COLD [[nodiscard]] inline std::string time_in_words() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1000;
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
    return std::string(text.data(), length) + std::to_string(1000 + milliseconds).substr(1) + 'Z';
}

/// Writes a line at once, in whole: ranks may share a file. What cannot be written is lost; nobody waits for a pipe.
TUTTI_COLD inline void write(int rank, std::string_view text) noexcept {
    if (!is_on()) return;
    try {
        std::string line = "tutti: " + time_in_words() + " rank " + std::to_string(rank) + ": ";
        line += text.substr(0, PIPE_BUF - line.size() - 1);
        line += '\n';
        if (place() == "stderr") {
            pollfd room{STDERR_FILENO, POLLOUT, 0};
            if (::poll(&room, 1, 0) != 1 || ::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
            return;
        }
        std::string name(place());
        if (const auto at = name.find("%r"); at != name.npos) name.replace(at, 2, std::to_string(rank));
        const int file = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
        if (file < 0) return;
        [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
        ::close(file);
    } catch (const std::exception&) { // no memory
    }
}

} // namespace tutti::detail::log

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "linkage.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>

/// Lines for people about what is not told otherwise, where the variable TUTTI_LOG says. Without it nothing is made or
/// written. Any thread.
namespace tutti::detail::log {

/// "stderr", or a file; `%r` in it is the rank. Empty: there is no log. A copy, since a program may write over its
/// environment; for good, since static objects may still log.
[[nodiscard]] inline const std::string& place() {
    static const std::string& set = *new std::string([] {
        const char* const value = std::getenv("TUTTI_LOG");
        return value ? value : "";
    }());
    return set;
}

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

/// Writes, and is not ended where nobody reads any more.
TUTTI_COLD inline void write_to(int file, const std::string& line) noexcept {
    sigset_t of_pipes{}, before{}, pending{};
    ::sigemptyset(&of_pipes);
    ::sigaddset(&of_pipes, SIGPIPE);
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, &of_pipes, &before);
    const bool is_broken = ::write(file, line.data(), line.size()) < 0 && errno == EPIPE;
    const timespec at_once{};
    if (is_broken && ::sigismember(&pending, SIGPIPE) == 0) ::sigtimedwait(&of_pipes, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Where this process may not open its standard error anew, as that of another user.
TUTTI_COLD inline void write_to_stderr(const std::string& line) noexcept {
    if (::send(STDERR_FILENO, line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 || errno != ENOTSOCK) return;
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&room, 1, 0) == 1 && room.revents == POLLOUT) write_to(STDERR_FILENO, line);
}

/// Writes a line in whole: ranks may share a file. What cannot be written at once is lost, as where standard error is a
/// pipe that is full. Control characters become '?'.
TUTTI_COLD inline void write(int rank, std::string_view text) {
    std::string line = "tutti: " + time_in_words() + " rank " + std::to_string(rank) + ": ";
    line += text.substr(0, PIPE_BUF - line.size() - 1);
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    line += '\n';
    const bool says = place() == "stderr";
    struct stat kind {};
    if (says && ::fstat(STDERR_FILENO, &kind) == 0 && S_ISREG(kind.st_mode)) // where the program's own words end
        return write_to(STDERR_FILENO, line);
    std::string name = says ? "/proc/self/fd/2" : place(); // opened anew, a pipe does not make others wait
    if (const auto at = name.find("%r"); at != name.npos) name.replace(at, 2, std::to_string(rank));
    const int file = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file < 0) return says ? write_to_stderr(line) : void();
    write_to(file, line);
    ::close(file);
}

/// Writes what text() gives, where there is a log.
template <class Text>
void say(int rank, const Text& text) noexcept {
    try {
        if (!place().empty()) [[unlikely]]
            write(rank, text());
    } catch (const std::exception&) { // no memory, or what was to be told cannot be found out
    }
}

} // namespace tutti::detail::log

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <type_traits>

namespace tutti::test {

/// A process that runs body() and ends, without destructors of what its parent has. All is well unless the body
/// returns false, throws, or takes longer than so many seconds. Killed, if it still runs, with its owner or its parent.
class child {
public:
    template <class Body>
    explicit child(const Body& body, int seconds = 20) {
        const pid_t parent = ::getpid();
        pid_ = ::fork();
        expect(pid_ >= 0, "a process can be forked");
        if (pid_ > 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(2);
        ::alarm(static_cast<unsigned>(seconds));
        bool is_well = true;
        try {
            if constexpr (std::is_void_v<decltype(body())>)
                body();
            else
                is_well = body();
        } catch (const std::exception& e) {
            std::fprintf(stderr, "a child of a test: %s\n", e.what());
            is_well = false;
        } catch (...) { // a REQUIRE
            is_well = false;
        }
        ::_exit(is_well ? 0 : 1);
    }
    child(const child&) = delete;
    child& operator=(const child&) = delete;
    ~child() {
        if (has_ended()) return;
        ::kill(pid_, SIGKILL);
        static_cast<void>(end());
    }

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool has_ended() { return has_ended_ = has_ended_ || ::waitpid(pid_, &status_, WNOHANG) != 0; }

    /// Waits for its end, and returns how it ended: empty if all is well.
    [[nodiscard]] std::string end() {
        while (!has_ended_) has_ended_ = ::waitpid(pid_, &status_, 0) == pid_ || errno != EINTR;
        if (WIFSIGNALED(status_)) return "signal " + std::to_string(WTERMSIG(status_));
        return status_ == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status_));
    }

private:
    pid_t pid_ = -1;
    int status_ = -1;
    bool has_ended_ = false;
};

/// Runs body() in a child, and returns how that ended: empty if all is well.
template <class Body>
[[nodiscard]] std::string in_child(const Body& body, int seconds = 20) {
    return child(body, seconds).end();
}

} // namespace tutti::test

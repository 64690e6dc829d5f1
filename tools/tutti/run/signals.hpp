// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"

#include <cerrno>
#include <csignal>
#include <system_error>

#include <sys/signalfd.h>
#include <unistd.h>

namespace tutti::tools {

/// Blocks the signals that the launcher wants to hear of, and one more, and makes them readable, and ignores SIGPIPE,
/// until the end of its life.
class signal_source {
public:
    explicit signal_source(int more = SIGCHLD) {
        sigset_t wanted;
        sigemptyset(&wanted);
        for (int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, more}) sigaddset(&wanted, number);
        sigprocmask(SIG_BLOCK, &wanted, &former_);
        // A parent that ignores SIGCHLD hands that down, and children then vanish without a status.
        former_child_ = std::signal(SIGCHLD, SIG_DFL);
        former_pipe_ = std::signal(SIGPIPE, SIG_IGN); // a launcher that dies of it leaves what its ranks started
        source_ = descriptor{signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK)};
        if (!source_.open()) throw std::system_error(errno, std::generic_category(), "cannot listen for signals");
    }
    signal_source(const signal_source&) = delete;
    ~signal_source() {
        std::signal(SIGPIPE, former_pipe_);
        std::signal(SIGCHLD, former_child_);
        sigprocmask(SIG_SETMASK, &former_, nullptr);
    }

    [[nodiscard]] int get() const noexcept { return source_.get(); }
    /// The next signal that has come; 0 if there is none.
    [[nodiscard]] int next() const {
        signalfd_siginfo info;
        return read(source_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
    }

private:
    sigset_t former_{};
    void (*former_child_)(int) = SIG_DFL;
    void (*former_pipe_)(int) = SIG_DFL;
    descriptor source_;
};

} // namespace tutti::tools

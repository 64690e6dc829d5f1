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
/// until the end of its life. Those that this process was started to ignore, as by nohup, stay ignored, but SIGTERM.
class signal_source {
public:
    explicit signal_source(int more = SIGCHLD) {
        sigset_t wanted;
        sigemptyset(&wanted);
        for (int number : {SIGCHLD, SIGTERM}) sigaddset(&wanted, number); // by which the end of others is heard
        for (int number : {SIGINT, SIGHUP, SIGQUIT, more})
            if (!ignored(number)) sigaddset(&wanted, number);
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
    // An ignored signal that is blocked could be read.
    static bool ignored(int number) {
        struct sigaction now {};
        return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    }

    sigset_t former_{};
    void (*former_child_)(int) = SIG_DFL;
    void (*former_pipe_)(int) = SIG_DFL;
    descriptor source_;
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>
#include <initializer_list>

namespace tutti::transport {

/// Blocks signals while it lives, so that a thread started meanwhile handles none of them: they are the program's.
/// Signals that a thread gets for a fault of its own stay as they are: a debugger's or a sanitizer's handler wants
/// them.
class [[nodiscard]] signal_shield {
public:
    /// Blocks them on the thread that calls; its destructor, there too, restores what was blocked before.
    signal_shield() noexcept {
        sigset_t all;
        sigfillset(&all);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, fault);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~signal_shield() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    signal_shield(const signal_shield&) = delete;
    signal_shield& operator=(const signal_shield&) = delete;

private:
    sigset_t before_{};
};

} // namespace tutti::transport

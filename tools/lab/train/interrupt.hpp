// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <csignal>

namespace tutti::tools {

/// Notes SIGINT instead of dying of it, from its making to its end. One at a time in a process.
class interrupt_note {
public:
    interrupt_note() {
        noted() = false;
        struct sigaction act {};
        act.sa_handler = [](int) { noted() = true; };
        act.sa_flags = SA_RESTART;
        sigaction(SIGINT, &act, &former_);
    }
    interrupt_note(const interrupt_note&) = delete;
    ~interrupt_note() { sigaction(SIGINT, &former_, nullptr); }

    /// Whether it has come.
    [[nodiscard]] static std::atomic<bool>& noted() noexcept {
        static std::atomic<bool> is_noted{false};
        static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");
        return is_noted;
    }

private:
    struct sigaction former_ {};
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/transport.hpp"

#include <atomic>
#include <memory>
#include <span>

namespace tutti::transport::detail::connections {

/// Where a rank sleeps that waits for several things. Its coroutines, which make connections, go on meanwhile and
/// within look(). One thread, but for wake().
class sleeper {
public:
    /// What else ends a sleep: the descriptor can be read, or written where that is awaited. -1: nothing.
    struct awaited {
        int descriptor = -1;
        bool to_write = false;
    };
    struct context; ///< that of Asio

    /// Throws a bootstrap error where descriptors have run out.
    sleeper();
    ~sleeper();
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;

    /// Any thread: ends a sleep, or the next one.
    void wake() noexcept;
    /// Was there a wake() since the last time? Cheap if not.
    [[nodiscard]] bool take() noexcept {
        // Written by any thread, taken by the sleeping one. It sees what the waker did before.
        return woken_.load(std::memory_order_relaxed) && woken_.exchange(false, std::memory_order_acquire);
    }
    /// Coroutines that can go on do; of very many, some.
    void look();
    /// Until then at most. The order of `of` is the same in each sleep.
    void sleep(clock::time_point until, std::span<const awaited> of);
    /// Before the descriptors of sleep() are closed.
    void forget() noexcept;

    [[nodiscard]] context& get() noexcept { return *context_; }

private:
    std::unique_ptr<context> context_;
    std::atomic<bool> woken_{false};
};

} // namespace tutti::transport::detail::connections

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace tutti::transport::detail {

/// Wakes a sleeping rank. Any thread rings; only the rank's own thread waits.
///
/// A ring is never lost: it leaves `rung_` set until a wait has ended because of it.
class doorbell {
public:
    void ring() {
        {
            // Under the mutex, so that it falls either before the sleeper's look at `rung_` or after the sleeper has
            // begun to wait, where the notification reaches it.
            const std::lock_guard lock{mutex_};
            // Release, with the acquire in answer(): the woken thread sees all that the ringer did before.
            rung_.store(true, std::memory_order_release);
        }
        bell_.notify_one();
    }

    /// True once for any number of rings since the last time.
    [[nodiscard]] bool answer() noexcept {
        // A relaxed load first keeps the cache line shared between rings. The exchange acquires the ringer's writes.
        return rung_.load(std::memory_order_relaxed) && rung_.exchange(false, std::memory_order_acquire);
    }

    /// Returns after a ring, or at `until`.
    void sleep(clock::time_point until) {
        std::unique_lock lock{mutex_};
        bell_.wait_until(lock, until, [this] { return answer(); });
    }

private:
    std::mutex mutex_;
    std::condition_variable bell_;
    std::atomic<bool> rung_{false};
};

} // namespace tutti::transport::detail

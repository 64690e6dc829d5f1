// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "timeouts.hpp"

#include <condition_variable>
#include <mutex>

namespace tutti::engine {

/// Tells threads that wait for the progress thread that something has ended. Costs nothing while there is none.
class completion_signal {
public:
    /// From now on several threads are concerned. Called before the second one starts.
    void share() noexcept { shared_ = true; }
    [[nodiscard]] bool shared() const noexcept { return shared_; }

    /// Guards the state of ended work.
    [[nodiscard]] std::unique_lock<std::mutex> hold() {
        return shared_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
    }
    void notify() {
        if (shared_) changed_.notify_all();
    }
    /// Sleeps until `ended`, which is evaluated under the lock, now and then also without news: it may look at a clock.
    void await(auto&& ended) {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, look_interval, ended)) {
        }
    }

private:
    bool shared_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

} // namespace tutti::engine

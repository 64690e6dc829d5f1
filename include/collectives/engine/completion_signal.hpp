// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/transport.hpp"

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
    /// Sleeps until `ended`, which is evaluated under the lock, or until that time.
    void await(auto&& ended, transport::clock::time_point until = transport::clock::time_point::max()) {
        std::unique_lock lock(mutex_);
        if (until == transport::clock::time_point::max())
            changed_.wait(lock, ended);
        else
            changed_.wait_until(lock, until, ended);
    }

private:
    bool shared_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

} // namespace tutti::engine

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../transport/contract/any.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace tutti::engine {

/// The sleep of an event loop of the program's, which takes the place of the driver's. Of the thread that drives, but
/// for next_deadline() and call().
class loop_sleep {
public:
    using clock = transport::clock;

    explicit loop_sleep(transport::any& t) noexcept : transport_(t) {}

    /// From now on a loop can wait for the transport. -1: it has no descriptor. Throws std::system_error.
    [[nodiscard]] TUTTI_COLD int descriptor() {
        const int found = transport_.descriptor();
        has_descriptor_ = found >= 0;
        return found;
    }
    [[nodiscard]] bool has_descriptor() const noexcept { return has_descriptor_; }

    /// A loop that sleeps hears of a message as late as that: it pays to look for one so long before. Unless that was
    /// in vain of late, or the host is crowded.
    /// @{
    static constexpr std::chrono::microseconds longest_linger{50};
    [[nodiscard]] bool may_linger() const {
        return has_descriptor_ && vain_lingers_ < most_in_vain && !transport_.crowded();
    }
    void lingered(bool served) noexcept { vain_lingers_ = served ? 0 : vain_lingers_ + 1; }
    /// What the loop was woken by: to linger would have served, if it came soon.
    void was_moved() noexcept {
        if (came_soon_) vain_lingers_ = 0;
    }
    /// @}

    /// The loop may sleep until the descriptor can be read, or until next_deadline(), by `latest` at the latest. False:
    /// there is something to do. May throw.
    [[nodiscard]] TUTTI_COLD bool begin(clock::time_point now, clock::time_point latest) {
        is_armed_ = true;
        slept_at_ = now;
        if (transport_.arm()) return false;
        due_by(std::clamp(transport_.due(), clock::time_point{}, latest));
        return true;
    }
    /// The loop steps: what was done since it slept is looked at now.
    void end(clock::time_point now) {
        came_soon_ = is_armed_ && now - slept_at_ < longest_linger;
        if (std::exchange(is_armed_, false))
            transport_.disarm(true);
        else if (has_descriptor_)
            transport_.call(false);
    }
    /// Another call goes on while the loop sleeps, which is to step afterwards.
    void interrupt() {
        if (is_armed_) [[unlikely]] {
            is_armed_ = false;
            transport_.disarm(false);
        }
    }
    /// It sleeps without the transport until then, or until it is called.
    void take_call_back(clock::time_point until = clock::time_point::max()) {
        transport_.call(false);
        due_by(until);
    }
    /// Any thread: the loop is to step. Does nothing where there is no descriptor.
    void call() { transport_.call(true); }
    /// Any thread: when it is to step though the descriptor cannot be read.
    [[nodiscard]] clock::time_point next_deadline() const noexcept {
        return clock::time_point{clock::duration{due_.load(std::memory_order_relaxed)}};
    }

private:
    void due_by(clock::time_point when) noexcept {
        due_.store(when.time_since_epoch().count(), std::memory_order_relaxed);
    }

    static constexpr int most_in_vain = 3; ///< lingers in a row

    transport::any& transport_;
    int vain_lingers_ = 0;
    clock::time_point slept_at_{};
    bool has_descriptor_ = false;
    bool came_soon_ = false; ///< the last step, after the loop was to sleep
    bool is_armed_ = false;
    /// Written by the loop's thread; relaxed: it tells of nothing but itself. At first the least: `now` can be
    /// subtracted.
    std::atomic<clock::rep> due_{0};
};

} // namespace tutti::engine

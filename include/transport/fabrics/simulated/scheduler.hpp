// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "event_queue.hpp"
#include "fiber.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// A time so much after another one; the clock's last where there is none.
[[nodiscard]] inline clock::time_point later(clock::time_point t, clock::duration by) noexcept {
    return by > clock::time_point::max() - t ? clock::time_point::max() : t + by;
}

/// A virtual clock, what is to happen by it, and fibers that sleep by it. A run depends on nothing but what it is told
/// to do.
class scheduler {
public:
    /// How long the clock goes. What is asked for after that happens at the end.
    static constexpr clock::duration longest = std::chrono::hours(24 * 365 * 100);

    /// The clock stands at `begin`.
    explicit scheduler(clock::time_point begin) noexcept : end_(begin + longest), events_(begin) {}

    [[nodiscard]] clock::time_point now() const noexcept { return events_.now(); }
    /// The last time that it comes to.
    [[nodiscard]] clock::time_point end() const noexcept { return end_; }

    /// Lets what() happen at that time, or now if that is past.
    template <class What>
    void at(clock::time_point when, What what) {
        events_.at(std::min(when, end_), std::move(what));
    }

    /// A fiber, which begins now. Its number is how many there were before.
    void spawn(std::size_t stack_bytes, std::function<void()> body) {
        const std::size_t f = fibers_.size();
        fibers_.push_back(std::make_unique<fiber>(stack_bytes, std::move(body)));
        ++alive_;
        at(now(), [this, f] { resume(f); });
    }
    /// From an event: runs that fiber until it suspends.
    void resume(std::size_t f) {
        const auto before = std::exchange(current_, f);
        fibers_[f]->resume();
        current_ = before;
        if (!fibers_[f]->is_over()) return;
        fibers_[f].reset();
        --alive_;
    }
    /// From a fiber: until it is resumed.
    void suspend() { fibers_[current_]->suspend(); }
    /// From a fiber: until that time, whatever happens. It must not be after the end.
    void sleep_until(clock::time_point when) {
        at(when, [this, f = current_] { resume(f); });
        suspend();
    }
    /// The fiber that runs.
    [[nodiscard]] std::size_t current() const noexcept { return current_; }

    /// Lets happen what is to happen until all fibers are over. One that suspends itself has seen to its resumption. No
    /// event throws but where memory lacks, which ends the program: fibers cannot be left in the middle.
    void run() noexcept {
        while (alive_ > 0) {
            if (events_.empty()) std::terminate(); // no fiber would ever go on
            events_.happen();
        }
    }

    static constexpr std::size_t none = ~std::size_t{0}; ///< no fiber

private:
    clock::time_point end_;
    std::vector<std::unique_ptr<fiber>> fibers_;
    std::size_t alive_ = 0;
    std::size_t current_ = none;
    event_queue events_;
};

} // namespace tutti::transport::detail

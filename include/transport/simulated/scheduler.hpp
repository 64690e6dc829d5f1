// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transport.hpp"
#include "fiber.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// A virtual clock, what is to happen by it, and fibers that sleep by it. Events happen in the order of their times,
/// those of one time in the order in which they were asked for. So a run depends on nothing but what it is told to do.
class scheduler {
public:
    /// The clock stands at `begin`.
    explicit scheduler(clock::time_point begin) noexcept : now_(begin) {}

    [[nodiscard]] clock::time_point now() const noexcept { return now_; }

    /// Lets `what` happen at that time, or now if that is past.
    void at(clock::time_point when, std::function<void()> what) {
        events_.push_back({std::max(when, now_), asked_++, std::move(what)});
        std::push_heap(events_.begin(), events_.end(), later);
    }

    /// A fiber, which begins now. Its number is how many there were before.
    void spawn(std::size_t stack_bytes, std::function<void()> body) {
        const std::size_t f = fibers_.size();
        fibers_.push_back(std::make_unique<fiber>(stack_bytes, std::move(body)));
        ++alive_;
        at(now_, [this, f] { resume(f); });
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
    /// From a fiber: until that time, whatever happens.
    void sleep_until(clock::time_point when) {
        at(when, [this, f = current_] { resume(f); });
        suspend();
    }
    /// The fiber that runs.
    [[nodiscard]] std::size_t current() const noexcept { return current_; }

    /// Lets happen what is to happen until all fibers are over. One that suspends itself has seen to its resumption.
    void run() {
        while (alive_ > 0) {
            std::pop_heap(events_.begin(), events_.end(), later);
            const event next = std::move(events_.back());
            events_.pop_back();
            now_ = next.when;
            next.what();
        }
    }

    static constexpr std::size_t none = ~std::size_t{0}; ///< no fiber

private:
    struct event {
        clock::time_point when;
        std::uint64_t number;
        std::function<void()> what;
    };
    [[nodiscard]] static bool later(const event& a, const event& b) noexcept {
        return a.when != b.when ? a.when > b.when : a.number > b.number;
    }

    clock::time_point now_;
    std::vector<event> events_; ///< a heap, the next one on top
    std::uint64_t asked_ = 0;
    std::vector<std::unique_ptr<fiber>> fibers_;
    std::size_t alive_ = 0;
    std::size_t current_ = none;
};

} // namespace tutti::transport::detail

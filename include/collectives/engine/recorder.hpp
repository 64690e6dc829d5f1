// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../schedule/activity.hpp"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::engine {

/// Where one run writes an activity for each step of its plan; nowhere, unless a recorder gave it.
class record_page {
public:
    using clock = std::chrono::steady_clock;

    record_page() = default;
    record_page(schedule::activity* first, clock::time_point origin) noexcept : first_(first), origin_(origin) {}

    explicit operator bool() const noexcept { return first_; }
    void begin(std::size_t step, clock::time_point now) const noexcept { first_[step].begin_s = seconds_at(now); }
    /// All of an activity but its times.
    void end(schedule::activity a, clock::time_point now) const noexcept {
        schedule::activity& here = first_[a.step];
        a.begin_s = here.begin_s;
        a.end_s = seconds_at(now);
        here = a;
    }

private:
    [[nodiscard]] double seconds_at(clock::time_point now) const noexcept {
        return std::chrono::duration<double>(now - origin_).count();
    }

    schedule::activity* first_ = nullptr;
    clock::time_point origin_{};
};

/// Memory for the activities of one rank's calls. All of it is made, and touched, before the first call.
class recorder {
public:
    recorder(std::size_t most_steps, record_page::clock::time_point origin)
        : activities_(most_steps, unended), origin_(origin) {}

    /// A page for a run of so many steps. Calls are recorded in whole or not at all: where the memory does not suffice
    /// for one, its page leads nowhere, and it counts as missed.
    [[nodiscard]] record_page turn(std::size_t steps) noexcept {
        if (activities_.size() - used_ < steps) {
            ++missed_calls_;
            return {};
        }
        const auto first = activities_.data() + std::exchange(used_, used_ + steps);
        return {first, origin_};
    }

    /// The steps that have ended: by call, in the order of their turns, and of each in the order of its plan.
    /// Precondition: no run writes any more.
    [[nodiscard]] std::vector<schedule::activity> take() {
        activities_.resize(used_);
        std::erase_if(activities_, [](const schedule::activity& a) { return a.rank == unended.rank; });
        return std::move(activities_);
    }
    [[nodiscard]] std::size_t missed_calls() const noexcept { return missed_calls_; }

private:
    static constexpr schedule::activity unended{.rank = -1};

    std::vector<schedule::activity> activities_;
    record_page::clock::time_point origin_;
    std::size_t used_ = 0;
    std::size_t missed_calls_ = 0;
};

} // namespace tutti::engine

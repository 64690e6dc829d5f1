// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/pipeline/step.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::tools::study::pipeline {

using clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(clock::time_point begin) {
    return std::chrono::duration<double>(clock::now() - begin).count();
}

/// Does the work, or sleeps for it, and adds up what it took.
class timed_work {
public:
    /// `sleeps` are seconds of a forward, a backward and an update; empty: it computes.
    explicit timed_work(std::vector<double> sleeps) : sleeps_(std::move(sleeps)) {}

    void operator()(training::pipeline::action what, const std::function<void()>& work) {
        using training::pipeline::action;
        const auto begin = clock::now();
        const std::size_t kind = what == action::forward ? 0 : what == action::backward ? 1 : 2;
        if (sleeps_.empty())
            work();
        else
            std::this_thread::sleep_until(begin + std::chrono::duration<double>(sleeps_[kind]));
        sums_[kind] += seconds_since(begin);
        ++sums_[3 + kind];
    }
    void clear() { sums_ = {}; }
    /// Seconds of the three kinds, and then how many there were.
    [[nodiscard]] const std::array<double, 6>& sums() const noexcept { return sums_; }

private:
    const std::vector<double> sleeps_;
    std::array<double, 6> sums_{};
};

} // namespace tutti::tools::study::pipeline

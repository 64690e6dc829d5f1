// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

/// Learning rates as functions of the step, counted from 0. Each is a small value that is called with the step, and
/// warm_up takes another one: `warm_up{cosine{0.4, 1000}, 50, 0.1}`. All ranks compute the same numbers.
namespace tutti::training {

namespace detail {
/// Throws invalid_argument unless it is a number from 0 on.
inline void require_rate(const char* operation, double rate) {
    if (!(rate >= 0) || std::isinf(rate))
        reject(operation, "a learning rate is a number from 0 on, not " + std::to_string(rate));
}
/// Throws invalid_argument where a rule or another option has a number that is NaN or infinite.
template <class Option>
void require_finite(const char* operation, const Option& of) {
    if constexpr (requires { of.numbers(); })
        for (const double x : of.numbers())
            if (!std::isfinite(x)) reject(operation, "one of its numbers is " + std::to_string(x));
}
} // namespace detail

/// The rate for a batch on all ranks together, in proportion to it. Source: Goyal et al., Accurate, Large Minibatch
/// SGD: Training ImageNet in 1 Hour, 2017, whose reference has 256 examples.
[[nodiscard]] constexpr double linear_scaling(double base, std::size_t batch,
                                              std::size_t reference_batch = 256) noexcept {
    return base * static_cast<double>(batch) / static_cast<double>(reference_batch);
}

/// The same rate at every step.
struct constant {
    double rate = 0; ///< at every step
    /// The rate of a step.
    [[nodiscard]] double operator()(std::size_t) const noexcept { return rate; }
};

/// Multiplied by `factor` at each of the milestones.
struct step_decay {
    double rate = 0;                     ///< at first
    std::vector<std::size_t> milestones; ///< steps, ascending
    double factor = 0.1;                 ///< at each
    /// The rate of a step.
    [[nodiscard]] double operator()(std::size_t step) const noexcept {
        double now = rate;
        for (const std::size_t m : milestones)
            if (step >= m) now *= factor;
        return now;
    }
};

/// Falls by half a cosine, and stays at `floor` after `steps`. Source: Loshchilov and Hutter, SGDR, 2017.
struct cosine {
    double rate = 0;       ///< at first
    std::size_t steps = 1; ///< until it is `floor`
    double floor = 0;      ///< in the end
    /// The rate of a step.
    [[nodiscard]] double operator()(std::size_t step) const noexcept {
        const double done = std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
        return floor + (rate - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done));
    }
};

/// Grows for some steps from a low rate to that of another schedule, which it then is. Source: the gradual warm-up of
/// Goyal et al. 2017, from the rate of one worker over five epochs.
template <class Schedule>
struct warm_up {
    Schedule then;         ///< the schedule that follows; its step 0 is the first of the warm-up
    std::size_t steps = 0; ///< of the warm-up
    double from = 0;       ///< the rate at step 0
    /// The rate of a step.
    [[nodiscard]] double operator()(std::size_t step) const {
        const double goal = then(step);
        return step < steps ? from + (goal - from) * (static_cast<double>(step) / static_cast<double>(steps)) : goal;
    }
};
/// `warm_up{constant{0.4}, 50, 0.1}` names no type.
template <class Schedule>
warm_up(Schedule, std::size_t, double) -> warm_up<Schedule>;

} // namespace tutti::training

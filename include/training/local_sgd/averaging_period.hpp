// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>

/// After how many steps ranks average their weights, as small values.
namespace tutti::training {

/// What a period knows when weights have just been averaged. The same on all ranks.
struct averaging_facts {
    std::size_t steps = 0; ///< so far
    double seconds = 0;    ///< since the start, in the mean over ranks; only for periods that measure
    double loss = 0;       ///< mean of the steps since the last average, over ranks; only for periods that measure
};

/// A period tells how many steps follow before the next average. It is asked once at the start, with no facts, and then
/// after each average. With a member `measures` that is true it is given times and losses. Its numbers(), if it has
/// any, are what ranks compare.
template <class P>
concept averaging_period = requires(P& p, const averaging_facts& f) {
    { p(f) } -> std::convertible_to<std::size_t>;
};

/// The period is given times and losses.
template <class P>
inline constexpr bool measures = [] {
    if constexpr (requires { P::measures; })
        return bool(P::measures);
    else
        return false;
}();

/// The same each time. Source: Stich, Local SGD converges fast and communicates little, 2019.
struct every {
    std::size_t steps = 8; ///< 1 or more; 1 is synchronous descent
    /// See averaging_period.
    [[nodiscard]] std::array<double, 1> numbers() const noexcept { return {double(steps)}; }
    /// The steps before the next average.
    [[nodiscard]] std::size_t operator()(const averaging_facts&) const noexcept { return steps; }
};

/// Each step at first, later seldom. Source: Lin, Stich, Patel and Jaggi, Don't use large mini-batches, use local SGD,
/// 2020.
struct post_local {
    std::size_t until = 0; ///< so many steps are averaged one by one
    std::size_t then = 8;  ///< steps afterwards, 1 or more
    /// See averaging_period.
    [[nodiscard]] std::array<double, 2> numbers() const noexcept { return {double(until), double(then)}; }
    /// The steps before the next average.
    [[nodiscard]] std::size_t operator()(const averaging_facts& f) const noexcept { return f.steps < until ? 1 : then; }
};

/// AdaComm: seldom at first, and oftener as the loss falls. After each interval tau becomes first x sqrt(loss / first
/// loss), rounded up. Where that is no less than before, tau shrinks by a factor. The first loss is that of the first
/// period. This is the rule for a learning rate that stays. Source: Wang and Joshi, Adaptive communication strategies
/// to achieve the best error-runtime trade-off in local-update SGD, 2019.
class adacomm {
public:
    static constexpr bool measures = true; ///< it is given times and losses

    /// Starts with `first` steps; looks at the loss each `interval_s` seconds, and shrinks by `shrink`.
    explicit adacomm(std::size_t first, double interval_s = 60, double shrink = 0.5) noexcept
        : first_(std::max<std::size_t>(first, 1)), now_(first_), interval_s_(interval_s), shrink_(shrink) {}
    /// See averaging_period.
    [[nodiscard]] std::array<double, 3> numbers() const noexcept { return {double(first_), interval_s_, shrink_}; }

    /// The steps before the next average.
    [[nodiscard]] std::size_t operator()(const averaging_facts& f) noexcept {
        if (f.steps == 0) return now_;
        if (!has_loss_) first_loss_ = f.loss;
        has_loss_ = true;
        if (f.seconds < due_s_ + interval_s_) return now_;
        due_s_ = f.seconds;
        const double wanted = std::ceil(static_cast<double>(first_) * std::sqrt(f.loss / first_loss_));
        const auto now = static_cast<double>(now_);
        // of a loss that is no number too
        now_ = static_cast<std::size_t>(std::max(1.0, wanted < now ? wanted : std::floor(shrink_ * now)));
        return now_;
    }

private:
    std::size_t first_, now_;
    double interval_s_, shrink_, due_s_ = 0, first_loss_ = 0;
    bool has_loss_ = false;
};

} // namespace tutti::training

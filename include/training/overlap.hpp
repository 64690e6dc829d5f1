// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>

namespace tutti::training {

/// Tells the time by which calls are noted.
using time_source = std::function<std::chrono::steady_clock::time_point()>;

/// The clock of a communicator: in virtual time that of the simulated world, else this host's.
template <class Communicator>
[[nodiscard]] time_source clock_of(const Communicator& world) {
    return [world] { return world.now(); };
}

/// What became of a bucket in one round, by this rank's clock. A rank sees that a call is over when it looks, so the
/// end lies between `open_until` and `ended`. Of a bucket that finish() waited for, the two are the same.
struct activity {
    /// The clock of its times.
    using clock = std::chrono::steady_clock;
    std::size_t bucket = 0;            ///< its number; buckets start in this order
    std::size_t bytes = 0;             ///< on the wire: of its elements as they travel
    clock::time_point ready{};         ///< its last gradient was there
    clock::time_point started{};       ///< its call was started
    clock::time_point open_until{};    ///< this rank last saw it under way
    clock::time_point ended{};         ///< this rank saw that it was over
    std::chrono::nanoseconds waited{}; ///< how long finish() waited for it
};

/// How much of the communication of all rounds so far was hidden behind the caller's computing.
struct overlap {
    /// As a floating-point number.
    using seconds = std::chrono::duration<double>;
    std::size_t rounds = 0;    ///< that have reduced
    seconds exposed{};         ///< the caller was inside ready(), progress() or finish()
    seconds under_way_least{}; ///< a bucket was under way, as far as this rank knows for sure
    seconds under_way_most{};  ///< a bucket was under way, up to the moment at which this rank saw its end

    /// Bounds of the time under way that the caller did not wait. They are close where ready() or progress() is called
    /// often. Other threads of the process may have computed less meanwhile: compare the time of a step as well.
    /// @{
    [[nodiscard]] seconds hidden_least() const noexcept { return std::max(seconds{}, under_way_least - exposed); }
    [[nodiscard]] seconds hidden_most() const noexcept { return std::max(seconds{}, under_way_most - exposed); }
    /// @}

    /// Adds a round. Its activities are in the order of their starts.
    void add(std::span<const activity> round) noexcept {
        ++rounds;
        under_way_least += united(round, &activity::open_until);
        under_way_most += united(round, &activity::ended);
    }

private:
    /// The time in at least one of the intervals from the start to that end.
    [[nodiscard]] static seconds united(std::span<const activity> round,
                                        activity::clock::time_point activity::*end) noexcept {
        seconds sum{};
        auto covered = activity::clock::time_point::min();
        for (const auto& a : round) {
            const auto from = std::max(a.started, covered);
            if (a.*end > from) sum += a.*end - from;
            covered = std::max(covered, a.*end);
        }
        return sum;
    }
};

namespace detail {

/// Counts the time until its end as exposed.
class exposed_time {
public:
    /// Both must outlive it.
    exposed_time(overlap& of, const time_source& now) : of_(of), now_(now), start_(now_()) {}
    exposed_time(const exposed_time&) = delete;
    exposed_time& operator=(const exposed_time&) = delete;
    ~exposed_time() { of_.exposed += now_() - start_; }

private:
    overlap& of_;
    const time_source& now_;
    activity::clock::time_point start_;
};

} // namespace detail

} // namespace tutti::training

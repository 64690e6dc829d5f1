// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

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

namespace detail {

/// Adds the time until its end.
class exposed_time {
public:
    /// Both must outlive it.
    exposed_time(std::chrono::nanoseconds& to, const time_source& now) : to_(to), now_(now), start_(now_()) {}
    exposed_time(const exposed_time&) = delete;
    exposed_time& operator=(const exposed_time&) = delete;
    ~exposed_time() { to_ += now_() - start_; }

private:
    std::chrono::nanoseconds& to_;
    const time_source& now_;
    activity::clock::time_point start_;
};

} // namespace detail

} // namespace tutti::training

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "this_core.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace tutti::transport {

/// How every transport waits: it polls, calls rest() after each fruitless poll, and blocks when rest() says false. One
/// object serves all waits of a rank, one after the other, since each wait learns from those before it. One thread at a
/// time uses it.
///
/// Spinning is the fastest way to notice a peer that runs on another core. A sleeper wakes some 50 us late, and its
/// peer, which waits for it by then, may fall asleep in turn. So a wait spins for up to `longest`; every few polls it
/// yields its core to whoever wants it. What that may cost is bounded:
/// - Three waits that outlasted `longest`, and none between them that spinning has served, show that it is in vain.
///   Waits then spin for `shortest`, until one is over before `longest` again.
/// - Where `a_slice` goes by from one yield to the next, another thread computes on this core. It is time to block.
/// - A wait goes on until something has come, whatever else wakes it. It spins once.
/// - A crowded host, whose ranks cannot have a processor each, gets no spin at all and few yields.
///
/// Two ranks may run on one core while another one idles. They hand it over so smoothly that the kernel sees nothing to
/// balance. Waits that are over right behind a yield, again and again, show that; then this rank moves to a processor
/// of its own. Spins without a yield would make the kernel balance, but cost whole scheduler ticks until it does.
///
/// `Core` is this_core, or its replacement in a test.
template <class Core>
class basic_backoff {
public:
    static constexpr int spins = 30;                           ///< polls in a row before the first yield
    static constexpr int polls_a_yield = 8;                    ///< from then on
    static constexpr int yields_crowded = 8;                   ///< yields before it is time to block, on a crowded host
    static constexpr std::chrono::microseconds longest{8'000}; ///< that a wait spins
    static constexpr std::chrono::microseconds shortest{200};  ///< that it spins where spinning was in vain
    static constexpr std::chrono::microseconds a_slice{500};   ///< more than ranks that take turns need for one
    static constexpr int most_in_vain = 3; ///< waits that spun for `longest` and then slept, before it is in vain
    static constexpr int suspicious = 8;   ///< waits in a row that were over right behind a yield
    static constexpr int most_moves = 16;  ///< another program may compute on a rank's own processor

    /// Waits to come. `crowded`: the ranks of this host cannot have a processor each. `own`: one that no other rank of
    /// it is given, if they can. `most`: how long a wait may spin.
    explicit basic_backoff(bool crowded, std::optional<int> own = {}, std::chrono::microseconds most = longest) noexcept
        : crowded_(crowded), polls_(crowded ? spins : 0), most_(most), own_(own) {}

    /// A wait begins; or it goes on, if news() was not called since the last one.
    void begin() noexcept {
        if (!fresh_) return;
        fresh_ = false;
        if (polls_ > spins || behind_yields_ > 0) learn();
        blocked_ = false;
        polls_ = crowded_ ? spins : 0;
    }

    /// Lets a moment pass. False, without any rest: it is time to block.
    [[nodiscard]] bool rest() noexcept {
        if (polls_ >= spins) return linger();
        ++polls_;
        Core::pause();
        return true;
    }

    /// The wait has blocked, and is awake again.
    void woke() noexcept { woke_ = Core::now(); }

    /// Something has begun or has come: the wait before is over, and the next one is a new one.
    void news() noexcept { fresh_ = true; }

private:
    using time_point = typename Core::clock::time_point;

    [[nodiscard]] bool is_behind_a_yield() const noexcept {
        return polls_ > spins && (polls_ - spins) % polls_a_yield == 0;
    }

    [[gnu::noinline]] bool linger() noexcept {
        if (blocked_) return false;
        if (polls_ == spins) began_ = last_ = Core::now();
        if (crowded_ && polls_ == spins + yields_crowded) return !(blocked_ = true);
        ++polls_;
        if (!crowded_ && !is_behind_a_yield()) {
            Core::pause();
            return true;
        }
        Core::yield();
        return crowded_ || may_go_on();
    }

    /// Behind a yield.
    [[nodiscard]] bool may_go_on() noexcept {
        const auto before = std::exchange(last_, Core::now());
        const auto lasted = last_ - began_;
        if (lasted > most_) in_vain_ = std::min(in_vain_ + 1, most_in_vain);
        blocked_ = lasted > most_ || last_ - before > a_slice || (in_vain_ == most_in_vain && lasted > shortest);
        return !blocked_;
    }

    /// From the wait that is over.
    [[gnu::noinline]] void learn() noexcept {
        if (crowded_) return;
        const auto lasted = (blocked_ ? woke_ : last_) - began_;
        if (polls_ > spins && lasted > shortest && lasted < most_) in_vain_ = 0;
        behind_yields_ = !blocked_ && is_behind_a_yield() ? behind_yields_ + 1 : 0;
        if (!own_ || moves_left_ == 0) return;
        if (behind_yields_ == suspicious) absences_ = Core::absences();
        if (behind_yields_ < 2 * suspicious) return;
        behind_yields_ = 0;
        const auto now = Core::absences();
        if (now.thread != absences_.thread || now.number - absences_.number < suspicious) return;
        --moves_left_;
        Core::move_to(*own_);
    }

    bool crowded_;
    bool fresh_ = true;
    bool blocked_ = false;  ///< it was time to, in this wait
    int polls_;             ///< of this wait; on a crowded host `spins`, and its yields
    int in_vain_ = 0;       ///< waits that spun for as long as they may and then slept
    int behind_yields_ = 0; ///< waits in a row that were over right behind a yield
    int moves_left_ = most_moves;
    std::chrono::microseconds most_; ///< that a wait may spin
    std::optional<int> own_;
    decltype(Core::absences()) absences_{}; ///< when waits became suspicious
    time_point began_{}, last_{}, woke_{};  ///< of this wait: the first reading of the clock, the last, and the waking
};

/// Of ranks that are threads or processes.
using backoff = basic_backoff<detail::this_core>;

} // namespace tutti::transport

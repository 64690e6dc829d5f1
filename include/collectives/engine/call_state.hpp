// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../transport/contract/transport.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace tutti::engine {

enum class run_state : std::uint8_t { idle, queued, running, done, failed };

/// What has become of a call that was to be given up.
enum class cancelled : std::uint8_t { was_over, withdrawn, aborted, goes_on };

/// How far a call is, for its caller and for the thread that drives it. Only `state` and `want` are used by both.
class call_state {
public:
    using clock = transport::clock;

    /// Ends it. Written by the driving thread as its last act on this object; the waiting thread reads it with acquire
    /// and then owns the object and the user's buffers again.
    void end(run_state s, std::shared_ptr<const fault> why = {}) {
        failure_ = std::move(why);
        state_.store(s, std::memory_order_release);
    }
    [[nodiscard]] run_state state() const noexcept { return state_.load(std::memory_order_acquire); }
    [[nodiscard]] bool is_over() const noexcept {
        const run_state s = state();
        return s == run_state::done || s == run_state::failed;
    }
    [[nodiscard]] const std::shared_ptr<const fault>& failure() const noexcept { return failure_; }

    [[nodiscard]] clock::time_point deadline() const noexcept { return deadline_; }
    void end_by(clock::time_point deadline) noexcept { deadline_ = deadline; }

    /// Until when its caller waits for it: for a while after each test(), for ever in wait(). Written by the caller,
    /// read by the driving thread; relaxed, since only reports to other ranks depend on it.
    void want(clock::time_point until) noexcept {
        wanted_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
    }
    /// The same, where it is not wanted for longer. By the caller.
    void want_until(clock::time_point until) noexcept {
        if (!is_wanted(until)) want(until);
    }
    [[nodiscard]] bool is_wanted(clock::time_point now) const noexcept {
        return wanted_.load(std::memory_order_relaxed) > now.time_since_epoch().count();
    }

protected:
    /// It belongs to a new call, or its next step has begun: read by this thread until it is handed over.
    void enter(run_state s) noexcept { state_.store(s, std::memory_order_relaxed); }
    void renew() noexcept {
        deadline_ = clock::time_point::max();
        if (failure_) failure_.reset();
        want(clock::time_point::min());
        enter(run_state::queued);
    }
    /// As state(), for the driving thread.
    [[nodiscard]] run_state own_state() const noexcept { return state_.load(std::memory_order_relaxed); }

    clock::time_point deadline_ = clock::time_point::max(); ///< until it is set

private:
    std::atomic<run_state> state_{run_state::idle};
    std::atomic<clock::rep> wanted_{clock::time_point::min().time_since_epoch().count()};
    std::shared_ptr<const fault> failure_;
};

/// What the driver has told the coordinator of a call.
struct call_report {
    bool sent = false; ///< it knows that this rank is late, or of a mismatch, and owes a verdict
    /// Since when it knows of a peer that cannot be reached.
    transport::clock::time_point accused = transport::clock::time_point::max();
    transport::clock::time_point answer_due{}; ///< when to stop waiting for the verdict
};

} // namespace tutti::engine

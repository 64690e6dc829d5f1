// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/own_process.hpp"
#include "../../base/standard_arithmetic.hpp"
#include "../../transport/contract/signal_shield.hpp"
#include "driver.hpp"
#include "serialized_access.hpp"
#include "wakeup.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

/// Runs plans over transports: progress, deadlines, signatures, the plan cache.
namespace tutti::engine {

/// All collectives of one rank over one transport.
///
/// Threads: one thread drives at a time. Without a progress thread that is whichever thread is in a call: calls must
/// not overlap, which `serialized_access` watches over, and every wait or test moves all runs. With one, it alone
/// drives; other threads hand runs and errands over through a locked inbox and sleep until they are ended, so that any
/// thread may call. Whichever drives does so in the standard mode of arithmetic, since ranks that reduce the same
/// operands must get the same bits.
///
/// In a child that fork(2) has made calls are refused, what cannot fail does nothing, and the engine is never
/// destroyed: neither its thread nor who held its locks is there, and its connections are the parent's.
class engine {
public:
    using run = plan_run;
    using members = group;

    explicit engine(transport::any t) : driver_(std::move(t), ended_) {}
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine() {
        if (!thread_.joinable()) return;
        stop_.store(true, std::memory_order_release);
        driver_.transport().wake();
        thread_.join();
    }

    [[nodiscard]] const transport::any& transport() const noexcept { return driver_.transport(); }

    /// For threads that complete something a call waits for, other than a message.
    [[nodiscard]] const wakeup& wake() const noexcept { return waking_.handle(); }

    /// From now on a thread of the library's own drives. It takes no signals of the program's. Call it once, when no
    /// run is under way.
    void start_progress_thread() {
        if (transport().is_timed())
            reject("communicator", "a progress thread over a transport with a clock of its own",
                   "make it with tutti::progress::in_calls");
        ended_.share();
        const transport::signal_shield none_on_the_thread;
        thread_ = std::thread([this] { serve(); });
    }
    [[nodiscard]] bool has_progress_thread() const noexcept { return ended_.shared(); }
    /// False in a child of the process that has made it.
    [[nodiscard]] bool is_own() const noexcept { return process_.is_this(); }
    /// Throws invalid_argument there.
    void require_own() const { process_.require_this(); }
    /// Guards the state that callers share: a lock if there can be several, else the presence of the one caller. Of a
    /// child nothing.
    class [[nodiscard]] guarded {
    public:
        guarded() = default;
        explicit guarded(std::mutex& m) : lock_(&m) { m.lock(); }
        explicit guarded(serialized_access::visit v) noexcept : place_(std::move(v)) {}
        guarded(const guarded&) = delete;
        guarded& operator=(const guarded&) = delete;
        ~guarded() {
            if (lock_) lock_->unlock();
        }

    private:
        std::mutex* lock_ = nullptr;
        serialized_access::visit place_;
    };
    /// Throws invalid_argument in a child, or if another thread is inside a call and there is no progress thread.
    guarded guard() {
        require_own();
        return has_progress_thread() ? guarded(callers_) : guarded(inside_.enter());
    }
    /// The same for the end of a call: waits instead.
    guarded guard_at_last() {
        if (!is_own()) return {};
        return has_progress_thread() ? guarded(callers_) : guarded(inside_.enter_at_last());
    }
    /// The same for destructors: others wait for it, too.
    guarded guard_alone() {
        if (!is_own()) return {};
        return has_progress_thread() ? guarded(callers_) : guarded(inside_.enter_alone());
    }
    /// Throws as guard().
    void require_nobody() const {
        require_own();
        if (!has_progress_thread()) inside_.require_nobody();
    }

    /// Why the communicator cannot be used, if that is known.
    [[nodiscard]] std::optional<fault> failure_of(const members& g) {
        const auto lock = ended_.hold();
        return g.failure;
    }

    /// Starts a prepared run, which fails if it takes longer than that; it begins when its slot is free. Guarded.
    void start(run& r, std::chrono::nanoseconds timeout) {
        const bool goes_on = told_.load(std::memory_order_relaxed) && told_.exchange(false, std::memory_order_relaxed);
        if (!has_progress_thread()) {
            const tutti::detail::standard_arithmetic mode;
            if (goes_on) [[unlikely]]
                driver_.judge().resume();
            return driver_.admit(r, timeout);
        }
        r.end_by(later(driver_.time(), timeout));
        hand_over([&r, goes_on](driver& d) {
            if (goes_on) d.judge().resume();
            d.note_entry();
            d.admit(r);
        });
    }
    /// Starts a send or a receive in the same way; it may be over on return. Guarded.
    void start(members& g, message& m, std::chrono::nanoseconds timeout) {
        const bool goes_on = told_.load(std::memory_order_relaxed) && told_.exchange(false, std::memory_order_relaxed);
        if (!has_progress_thread()) {
            const tutti::detail::standard_arithmetic mode;
            if (goes_on) [[unlikely]]
                driver_.judge().resume();
            return driver_.admit(g, m, timeout);
        }
        m.end_by(later(driver_.time(), timeout));
        hand_over([&g, &m, goes_on](driver& d) {
            if (goes_on) d.judge().resume();
            d.note_entry();
            d.admit(g, m);
        });
    }
    /// The program is about to be told that a call has failed: calls that it starts from now on, it starts in spite of
    /// that.
    void tells_program() noexcept { told_.store(true, std::memory_order_relaxed); }

    /// Makes progress; true if the run is over. Throws as guard().
    [[nodiscard]] bool test(call_state& r) {
        require_own();
        if (r.is_over()) return true;
        if (has_progress_thread()) {
            r.want(coarse_now(driver_.transport()) +
                   late_call_grace); // a caller that waits by tests comes again within that time
        } else {
            const auto here = inside_.enter();
            const tutti::detail::standard_arithmetic mode;
            r.want(transport::clock::time_point::max());
            driver_.poll();
            r.want(transport::clock::time_point::min());
        }
        return r.is_over();
    }

    /// The same, but leaves it to another thread that is inside a call.
    void nudge(const call_state& r) {
        if (has_progress_thread() || r.is_over() || !is_own() || inside_.occupied()) return;
        const auto here = inside_.enter_at_last();
        const tutti::detail::standard_arithmetic mode;
        driver_.poll();
    }

    /// Returns when `ended()`, which looks at runs and at whether that time has come. A run ends at the latest a second
    /// after its deadline. Waits for another thread that is inside a call. Returns at once in a child.
    template <class Ended>
    void wait(Ended ended, transport::clock::time_point until = transport::clock::time_point::max()) {
        if (!is_own()) return;
        if (has_progress_thread()) return ended_.await(ended, until);
        if (ended()) return;
        const tutti::detail::standard_arithmetic mode;
        const auto here = inside_.enter_at_last();
        driver_.drive(ended);
    }

    /// Tells all ranks that calls on the communicator fail, and ends those of this rank.
    void abort(members& g, const std::string& reason) {
        require_nobody();
        on_driver([&](driver& d) { d.judge().abort(g, reason); });
    }
    /// When it returns, runs of the communicator write to no page.
    void stop_recording(const members& g) {
        on_driver([&](driver& d) { d.stop_recording(g); });
    }
    /// A communicator is there, until it is closed. Throws as guard().
    void open(const members& g) {
        require_own();
        if (!has_progress_thread()) {
            const auto here = inside_.enter();
            return driver_.judge().open(g);
        }
        on_driver([&](driver& d) { d.judge().open(g); });
    }
    /// Forgets a communicator whose runs are all over.
    void close(members& g, const call_sequence& made) {
        on_driver([&](driver& d) { d.judge().close_for_good(g, made); });
    }

private:
    using errand = std::function<void(driver&)>;

    void hand_over(errand e) {
        {
            const std::lock_guard lock(inbox_lock_);
            inbox_.push_back(std::move(e));
        }
        driver_.transport().wake();
    }
    /// Runs an errand where runs are driven, and returns when it is done. Does nothing in a child.
    template <class Errand>
    void on_driver(Errand work) {
        if (!is_own()) return;
        if (!has_progress_thread()) {
            const auto here = inside_.enter_alone();
            const tutti::detail::standard_arithmetic mode;
            return work(driver_);
        }
        bool done = false; // under the lock of ended_
        hand_over([&](driver& d) {
            work(d);
            const auto lock = ended_.hold();
            done = true;
            ended_.notify();
        });
        ended_.await([&] { return done; });
    }

    void serve() {
        const tutti::detail::standard_arithmetic mode; // the thread has that of its maker
        const auto interrupted = [this] { return stop_.load(std::memory_order_acquire) || run_errands(); };
        while (!stop_.load(std::memory_order_acquire)) driver_.drive(interrupted);
        run_errands();
    }
    /// True if there were any.
    bool run_errands() {
        under_way_.clear();
        {
            const std::lock_guard lock(inbox_lock_);
            under_way_.swap(inbox_);
        }
        for (errand& e : under_way_) e(driver_);
        return !under_way_.empty();
    }

    tutti::detail::own_process process_;
    serialized_access inside_; ///< of the calls' threads, without a progress thread
    /// The program was told of a failure and has started no call since. Written and read by callers; relaxed: of calls
    /// that are started while another thread is told it does not matter which way they count.
    std::atomic<bool> told_{false};
    completion_signal ended_;
    driver driver_;
    wakeup_source waking_{driver_.transport()}; ///< goes before the transport that it wakes
    std::mutex callers_;                        ///< the state that callers share
    std::mutex inbox_lock_;                     ///< inbox_
    std::vector<errand> inbox_;
    std::vector<errand> under_way_; ///< of the progress thread; its memory and inbox_'s take turns
    /// Set once by the destructor (release), read by the progress thread (acquire), which then sees all before it.
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

} // namespace tutti::engine

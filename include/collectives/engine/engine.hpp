// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/own_process.hpp"
#include "../../base/standard_arithmetic.hpp"
#include "driver.hpp"
#include "serialized_access.hpp"
#include "turns.hpp"
#include "wakeup.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>

/// Runs plans over transports: progress, deadlines, signatures, the plan cache.
namespace tutti::engine {

/// All collectives of one rank over one transport.
///
/// Threads: one thread drives at a time, and moves all calls. Usually that is whichever thread is in a call: calls must
/// not overlap, which `serialized_access` watches over. If it is shared, any thread may call, and `turns` says which
/// one drives. Whichever does so does it in the standard mode of arithmetic, since ranks that reduce the same operands
/// must get the same bits.
///
/// In a child that fork(2) has made calls are refused, what cannot fail does nothing, and the engine is never
/// destroyed: neither its thread nor who held its locks is there, and its connections are the parent's.
class engine {
public:
    using run = plan_run;
    using members = group;

    explicit engine(transport::any t) : driver_(std::move(t), turns_) {}
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;
    ~engine() {
        if (attached_) attached_->let_go();
        turns_.stop_helper();
    }

    [[nodiscard]] const transport::any& transport() const noexcept { return driver_.transport(); }

    /// For threads that complete something a call waits for, other than a message.
    [[nodiscard]] const wakeup& wake() const noexcept { return waking_.handle(); }

    /// From now on any thread may call. Before the first call.
    void share() {
        if (transport().is_timed())
            reject("communicator", "several threads over a transport with a clock of its own",
                   "make it with tutti::progress::in_calls");
        turns_.share();
    }
    [[nodiscard]] bool is_shared() const noexcept { return turns_.shared(); }
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
    /// Throws invalid_argument in a child, within an operator, or if another thread is inside a call and it is not
    /// shared.
    guarded guard() {
        require_own();
        if (!is_shared()) return guarded(inside_.enter());
        require_no_operator();
        return guarded(callers_);
    }
    /// The same for the end of a call: waits instead.
    guarded guard_at_last() {
        if (!is_own()) return {};
        end_operator();
        return is_shared() ? guarded(callers_) : guarded(inside_.enter_at_last());
    }
    /// The same for destructors: others wait for it, too.
    guarded guard_alone() {
        if (!is_own()) return {};
        end_operator();
        return is_shared() ? guarded(callers_) : guarded(inside_.enter_alone());
    }
    /// Throws as guard().
    void require_nobody() const {
        require_own();
        is_shared() ? require_no_operator() : inside_.require_nobody();
    }

    /// Why the communicator cannot be used, if that is known.
    [[nodiscard]] std::optional<fault> failure_of(const members& g) {
        if (!g.has_failed.load(std::memory_order_acquire)) return std::nullopt;
        const auto lock = turns_.hold();
        return g.failure;
    }

    /// Starts a prepared run, which fails if it takes longer than that; it begins when its slot is free. Guarded.
    void start(run& r, std::chrono::nanoseconds timeout) {
        const tutti::detail::standard_arithmetic mode;
        if (is_shared()) return start_shared(r, timeout, [&r](driver& d, auto... limit) { d.admit(r, limit...); });
        resume_if(was_told());
        driver_.admit(r, timeout);
    }
    /// Starts a send or a receive in the same way; it may be over on return. Guarded.
    void start(members& g, message& m, std::chrono::nanoseconds timeout) {
        const tutti::detail::standard_arithmetic mode;
        if (is_shared())
            return start_shared(m, timeout, [&g, &m](driver& d, auto... limit) { d.admit(g, m, limit...); });
        resume_if(was_told());
        driver_.admit(g, m, timeout);
    }
    /// The program is about to be told that a call has failed: calls that it starts from now on, it starts in spite of
    /// that.
    void tells_program() noexcept { told_.store(true, std::memory_order_relaxed); }

    /// Makes progress; true if the run is over. Throws as guard().
    [[nodiscard]] bool test(call_state& r) {
        require_own();
        if (r.is_over()) return true;
        const tutti::detail::standard_arithmetic mode;
        if (is_shared()) {
            require_no_operator();
            r.want(coarse_now(driver_.transport()) +
                   late_call_grace); // a caller that waits by tests comes again within that time
            turns_.poll();
        } else {
            const auto here = inside_.enter();
            r.want(transport::clock::time_point::max());
            driver_.poll();
            r.want(transport::clock::time_point::min());
        }
        return r.is_over();
    }

    /// For an event loop of the program's, as loop_sleep and driver::step() have it. All but the last throw as guard().
    /// @{
    [[nodiscard]] TUTTI_COLD int descriptor() {
        require_nobody();
        int found = -1;
        std::exception_ptr failed;
        on_driver([&](driver& d) {
            try {
                found = d.loop().descriptor();
                if (found >= 0) turns_.share_with_loop();
            } catch (...) {
                failed = std::current_exception();
            }
        });
        if (failed) std::rethrow_exception(failed);
        return found;
    }
    [[nodiscard]] bool step() {
        const tutti::detail::standard_arithmetic mode;
        require_own();
        if (is_shared()) {
            require_no_operator();
            return turns_.step();
        }
        const auto here = inside_.enter();
        return driver_.step([] { return true; });
    }
    [[nodiscard]] transport::clock::time_point next_deadline() const noexcept { return driver_.loop().next_deadline(); }
    /// @}

    /// What an event loop keeps with the world.
    /// @{
    [[nodiscard]] std::shared_ptr<attached_loop> attached() const {
        const std::lock_guard lock(attaching_);
        return attached_;
    }
    void attach(std::shared_ptr<attached_loop> what) {
        const std::lock_guard lock(attaching_);
        attached_.swap(what); // the former one goes with the caller, after the lock
    }
    /// @}

    /// Makes progress, but leaves it to another thread that drives; from now on the helper does, where there is one.
    void nudge(const call_state& r) {
        if (r.is_over() || !is_own()) return;
        const tutti::detail::standard_arithmetic mode;
        if (!is_shared()) {
            if (inside_.occupied()) return;
            const auto here = inside_.enter_at_last();
            return driver_.poll();
        }
        turns_.poll();
        if (!r.is_over()) turns_.call_helper();
    }

    /// Returns when `ended()`, which looks at runs and at whether that time has come. A run ends at the latest a second
    /// after its deadline. Waits for another thread that is inside a call. Returns at once in a child.
    template <class Ended>
    void wait(Ended ended, transport::clock::time_point until = transport::clock::time_point::max()) {
        if (!is_own() || ended()) return;
        end_operator();
        const tutti::detail::standard_arithmetic mode;
        if (!is_shared()) {
            const auto here = inside_.enter_at_last();
            return driver_.drive(ended);
        }
        turns_.wait(ended, until);
    }

    /// Tells all ranks that calls on the communicator fail, and ends those of this rank.
    void abort(members& g, const std::string& reason) {
        require_nobody();
        on_driver([&](driver& d) { d.judge().abort(g, reason); });
    }
    /// Ends a call that is not over: withdraws it if it is a receive that no message has met, else aborts, if it is to.
    template <class Call, class Words>
    cancelled cancel(members& g, Call& c, bool aborts, const Words& words) {
        cancelled how = cancelled::was_over;
        on_driver([&](driver& d) {
            if (c.is_over()) return;
            bool withdrawn = false;
            if constexpr (std::is_same_v<Call, message>) withdrawn = g.messages && g.messages->withdraw(c);
            how = withdrawn ? cancelled::withdrawn : aborts ? cancelled::aborted : cancelled::goes_on;
            if (how == cancelled::aborted) d.judge().abort(g, words() + " was cancelled");
        });
        return how;
    }
    /// Threads that wait evaluate `ended` again, and an event loop steps.
    void wake_waiters() {
        if (!is_own()) return;
        driver_.loop().call();
        if (!is_shared()) return;
        {
            const auto lock = turns_.hold();
            turns_.tell();
        }
        driver_.transport().wake();
    }
    /// When it returns, runs of the communicator write to no page.
    void stop_recording(const members& g) {
        on_driver([&](driver& d) { d.stop_recording(g); });
    }
    /// A communicator is there, until it is closed. Throws as guard().
    void open(const members& g) {
        require_own();
        if (!is_shared()) {
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
    /// The program was told of a failure, and this is the first call that it starts since.
    [[nodiscard]] bool was_told() noexcept {
        return told_.load(std::memory_order_relaxed) && told_.exchange(false, std::memory_order_relaxed);
    }
    void resume_if(bool goes_on) {
        if (goes_on) [[unlikely]]
            driver_.judge().resume();
    }
    /// Admits what starts, here or where another thread drives.
    template <class Admit>
    void start_shared(call_state& what, std::chrono::nanoseconds timeout, Admit admit) {
        const bool goes_on = was_told();
        if (auto mine = turns_.try_take()) {
            resume_if(goes_on);
            admit(driver_, timeout);
            if (!what.is_over()) mine.waits(); // or nudges
            return;
        }
        const auto until = later(driver_.time(), timeout);
        what.end_by(until);
        turns_.post([admit, goes_on, until](driver& d) {
            if (goes_on) d.judge().resume();
            d.note_entry(until);
            admit(d);
        });
    }
    /// Runs an errand where runs are driven, and returns when it is done. Does nothing in a child.
    template <class Errand>
    void on_driver(Errand work) {
        if (!is_own()) return;
        end_operator();
        const tutti::detail::standard_arithmetic mode;
        if (!is_shared()) {
            const auto here = inside_.enter_alone();
            return work(driver_);
        }
        if (const auto mine = turns_.try_take()) return work(driver_);
        bool done = false; // under the lock of turns_
        turns_.post([&](driver& d) {
            work(d);
            const auto lock = turns_.hold();
            done = true;
            turns_.notify();
        });
        turns_.await([&] { return done; });
    }
    /// Throws invalid_argument on the thread that drives, which would wait for itself.
    void require_no_operator() const {
        if (turns_.is_mine()) [[unlikely]]
            serialized_access::refuse_operator();
    }
    /// The same where nothing may be thrown: ends the process.
    void end_operator() const noexcept {
        if (turns_.is_mine()) [[unlikely]]
            serialized_access::end_operator();
    }

    tutti::detail::own_process process_;
    serialized_access inside_; ///< of the calls' threads, if it is not shared
    /// The program was told of a failure and has started no call since. Written and read by callers; relaxed: of calls
    /// that are started while another thread is told it does not matter which way they count.
    std::atomic<bool> told_{false};
    turns turns_{driver_};
    driver driver_;
    wakeup_source waking_{driver_.transport()}; ///< goes before the transport that it wakes
    std::mutex callers_;                        ///< the state that callers share
    mutable std::mutex attaching_;
    std::shared_ptr<attached_loop> attached_; ///< goes before what it steps
};

} // namespace tutti::engine

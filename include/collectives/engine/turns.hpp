// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/standard_arithmetic.hpp"
#include "../../transport/contract/signal_shield.hpp"
#include "completion_signal.hpp"
#include "driver.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::engine {

/// Whose turn it is to drive, where any thread may call: a thread that waits, else the library's own, the helper.
///
/// - Who has the turn has stored its mark in `who_`, by one atomic operation; the next one sees all that it did.
/// - Who finds that another drives posts an errand. The one that drives does it, at the latest when it gives up its
///   turn: first it stores that none drives, then it looks for errands. Who posts does so first, then looks whether one
///   drives. All four are sequentially consistent, so one of both sees the other.
/// - Who comes to wait gets the turn as soon as the one that drives has seen that. It tells in `coming_`, and looks at
///   `who_` again before it sleeps. The one that drives stores that none does before it looks at `coming_`. Then it
///   takes the mutex, which the other has until it sleeps.
/// - Who has given its turn up so is patient: it sleeps until its work has ended, and looks each millisecond at least
///   whether nobody has driven since. So a thread that calls often has the turn, whoever else waits for long.
/// - Work that goes on while nobody waits is the helper's, which is as patient; or, where the program's event loop
///   steps, the loop's. A loop that sleeps is called when something has ended, and after each turn. If another has the
///   turn when it steps, it takes former calls back, stores that it sleeps, and tries again. The other one stores that
///   none drives before it looks whether the loop sleeps. So the loop gets the turn, or is called later. What has ended
///   was stored under the lock, and the loop is looked at after that: it sees the end, or is called.
///
/// tests/engine/turns.cpp tries all orders of the steps of up to four threads, with one preemption or two.
template <class Driver, class Primitives>
class basic_turns : public basic_completion_signal<Primitives> {
public:
    using errand = std::function<void(Driver&)>;
    using time_point = transport::clock::time_point;

    explicit basic_turns(Driver& d) noexcept : driver_(d) {}

    /// This thread drives: for work that waits for itself.
    [[nodiscard]] bool is_mine() const noexcept { return who_.load(std::memory_order_relaxed) == this_thread(); }

    /// The turn, while it lives.
    class [[nodiscard]] turn {
    public:
        explicit turn(basic_turns* of) noexcept : of_(of) {}
        turn(turn&& other) noexcept
            : of_(std::exchange(other.of_, nullptr)), waits_(other.waits_), steps_(other.steps_) {}
        turn& operator=(turn&& other) noexcept {
            std::swap(of_, other.of_);
            std::swap(waits_, other.waits_);
            std::swap(steps_, other.steps_);
            return *this;
        }
        ~turn() {
            if (of_) of_->leave(!waits_, steps_);
        }
        explicit operator bool() const noexcept { return of_; }
        /// This thread waits for what goes on, or nudges it: the helper is not told.
        void waits() noexcept { waits_ = true; }
        /// The same of an event loop's step: the loop is not called.
        void steps() noexcept { waits_ = steps_ = true; }

    private:
        basic_turns* of_;
        bool waits_ = false, steps_ = false;
    };

    /// The turn, if none drives. What was posted before is done before.
    [[nodiscard]] turn try_take() noexcept {
        turn mine = take();
        if (mine) do_errands();
        return mine;
    }
    /// The errand will be done, perhaps here.
    template <class Errand>
    void post(Errand&& what) {
        {
            const auto lock = this->hold();
            errands_.emplace_back(std::forward<Errand>(what));
            posted_.store(true, std::memory_order_seq_cst);
        }
        if (!is_driven())
            static_cast<void>(try_take()); // and leaves it, which does the errand
        else
            driver_.transport().wake();
    }
    /// One round, if none drives.
    void poll() {
        const auto mine = try_take();
        if (!mine) return;
        note_drive();
        driver_.poll();
    }
    /// The program's event loop steps from now on. For who has the turn.
    void share_with_loop() noexcept { has_loop_.store(true, std::memory_order_relaxed); }
    /// One part of what there is to do, if none drives; false as of the driver's, or where one does.
    [[nodiscard]] bool step() {
        auto mine = try_take();
        if (!mine && !has_loop_.load(std::memory_order_relaxed)) {
            std::this_thread::yield(); // to the one that drives: calls are under way
            return true;
        }
        if (!mine) {
            driver_.loop().take_call_back();
            loop_sleeps_.store(true, std::memory_order_seq_cst);
            mine = try_take();
        }
        if (!mine) return false;
        mine.steps();
        note_drive();
        const bool more = driver_.step([this] { return !is_wanted() && !posted_.load(std::memory_order_relaxed); });
        told_ = this->ends();
        loop_sleeps_.store(!more, std::memory_order_relaxed); // before the turn is given up
        return more;
    }
    /// Returns when `ended()`, at that time at the latest if it looks at the clock; drives if none does.
    template <class Ended>
    void wait(const Ended& ended, time_point until) {
        unsigned last = 0; // when this thread drove
        for (bool is_patient = false; !ended(); is_patient = true)
            if (const auto mine = is_patient ? take_in_time(ended, until, last) : take_next(ended, until))
                last = drive(ended);
    }
    /// Work goes on, which its caller does not wait for yet. Where no thread can be made, whoever waits drives.
    void call_helper() {
        if (has_loop_.load(std::memory_order_relaxed)) return;   // which is called by whoever gives the turn up
        if (has_helper_.load(std::memory_order_acquire)) return; // which is told so
        const auto lock = this->hold();
        if (has_helper_.load(std::memory_order_relaxed)) return;
        try {
            const transport::signal_shield none_on_the_thread;
            helper_ = typename Primitives::thread([this] { help(); });
            has_helper_.store(true, std::memory_order_release);
        } catch (const std::system_error&) {
        }
    }
    /// When no thread calls any more.
    void stop_helper() {
        if (!has_helper_.load(std::memory_order_acquire)) return;
        {
            const auto lock = this->hold();
            stop_.store(true, std::memory_order_seq_cst);
            needed_.notify_one();
        }
        driver_.transport().wake();
        helper_.join();
    }

private:
    template <class Value>
    using atomic = typename Primitives::template atomic<Value>;
    using sleeper = typename basic_completion_signal<Primitives>::sleeper;
    using held = typename basic_completion_signal<Primitives>::held;

    [[nodiscard]] static const void* this_thread() noexcept {
        static thread_local const char mark = 0;
        return &mark;
    }
    [[nodiscard]] bool is_driven() const noexcept { return who_.load(std::memory_order_seq_cst) != nullptr; }
    /// Another thread has come to wait, and is to drive.
    [[nodiscard]] bool is_wanted() const noexcept { return coming_.load(std::memory_order_relaxed) > 0; }

    /// What has been posted. For the thread that drives.
    void do_errands() noexcept {
        if (!posted_.load(std::memory_order_relaxed)) return;
        {
            const auto lock = this->hold();
            posted_.store(false, std::memory_order_relaxed);
            in_hand_.swap(errands_);
        }
        for (errand& e : in_hand_) e(driver_);
        in_hand_.clear();
    }
    void leave(bool to_helper, bool from_loop) noexcept {
        do {
            do_errands();
            goes_on_.store(driver_.has_work(), std::memory_order_relaxed);
            who_.store(nullptr, std::memory_order_seq_cst);
        } while (posted_.load(std::memory_order_seq_cst) && has_taken()); // else who has it does them
        const bool helps = to_helper && goes_on_.load(std::memory_order_relaxed);
        if (coming_.load(std::memory_order_seq_cst) > 0 || (helps && helper_sleeps_.load(std::memory_order_seq_cst))) {
            const auto lock = this->hold();
            pass_on(to_helper);
        }
        if (!from_loop) call_loop();
    }
    /// The loop is to step, if it sleeps.
    void call_loop() {
        if (loop_sleeps_.load(std::memory_order_seq_cst) && loop_sleeps_.exchange(false, std::memory_order_seq_cst))
            driver_.loop().call();
    }
    /// Tells who is to drive that none does: one that has come to wait; else, where none is patient, the helper. Under
    /// the lock.
    void pass_on(bool to_helper) {
        if (!is_driven() && !this->notify_next() && to_helper) needed_.notify_one();
    }
    void note_drive() noexcept {
        drives_.store(drives_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    /// Drives until then, or until another thread has come and one round has been made. Returns which drive it was.
    template <class Ended>
    unsigned drive(const Ended& ended) {
        note_drive();
        const unsigned which = drives_.load(std::memory_order_relaxed);
        bool is_first = true;
        driver_.drive([&] {
            do_errands();
            if (std::exchange(told_, this->ends()) != this->ends()) call_loop();
            return ended() || (!std::exchange(is_first, false) && is_wanted());
        });
        return which;
    }
    /// The turn, if none drives. Who has the lock takes it so, and does what was posted without it.
    [[nodiscard]] turn take() noexcept { return turn(has_taken() ? this : nullptr); }
    [[nodiscard]] bool has_taken() noexcept {
        const void* none = nullptr;
        return who_.compare_exchange_strong(none, this_thread(), std::memory_order_seq_cst);
    }
    /// The turn, as soon as the one that drives has given it up, unless `ended()` before or at that time.
    template <class Ended>
    [[nodiscard]] turn take_next(const Ended& ended, time_point until) {
        if (auto mine = try_take()) return mine;
        auto lock = this->hold();
        coming_.fetch_add(1, std::memory_order_seq_cst);
        sleeper me(*this, ended, true);
        turn mine(nullptr);
        while (!ended() && !(mine = take())) {
            driver_.transport().wake();
            sleep(me, lock, until);
        }
        coming_.fetch_sub(1, std::memory_order_seq_cst);
        me.leave();
        if (!mine) pass_on(true); // it may be this thread that was told
        return mine;
    }
    /// The same, as soon as none has driven for a while, or since this thread did.
    template <class Ended>
    [[nodiscard]] turn take_in_time(const Ended& ended, time_point until, unsigned last) {
        auto lock = this->hold();
        sleeper me(*this, ended);
        if (!is_wanted() && drives_.load(std::memory_order_relaxed) == last)
            if (auto mine = take()) return mine; // who came has gone
        for (auto patience = least_patience; !ended(); patience = std::min(patience * 2, most_patience)) {
            const unsigned before = drives_.load(std::memory_order_relaxed);
            sleep(me, lock, std::min(until, transport::clock::now() + patience));
            if (ended()) break;
            if (drives_.load(std::memory_order_relaxed) != before) continue;
            if (auto mine = take()) return mine;
        }
        me.leave();
        pass_on(true); // the helper was not told while this thread was patient
        return turn(nullptr);
    }
    static void sleep(sleeper& me, held& lock, time_point until) {
        if (until == time_point::max())
            me.woken.wait(lock);
        else
            me.woken.wait_until(lock, until);
    }

    void help() {
        const tutti::detail::standard_arithmetic mode; // the thread has that of its maker
        const auto stops = [this] { return stop_.load(std::memory_order_relaxed); };
        const auto is_idle = [&] { return !is_driven() && !goes_on_.load(std::memory_order_relaxed); };
        unsigned last = drives_.load(std::memory_order_relaxed) - 1;
        while (!stops()) {
            {
                auto lock = this->hold();
                helper_sleeps_.store(true, std::memory_order_seq_cst);
                while (!stops() && (is_driven() || is_idle())) needed_.wait(lock);
                helper_sleeps_.store(false, std::memory_order_relaxed);
            }
            if (const auto mine = take_in_time([&] { return stops() || is_idle(); }, time_point::max(), last))
                last = drive([&] { return stops() || !driver_.has_work(); });
        }
    }

    static constexpr std::chrono::nanoseconds least_patience = std::chrono::microseconds(50),
                                              most_patience = std::chrono::milliseconds(1);

    Driver& driver_;
    atomic<const void*> who_{nullptr};  ///< drives: a mark of that thread; null if none does
    atomic<bool> posted_{false};        ///< there are errands_; written under the lock
    atomic<int> coming_{0};             ///< threads in take_next()
    atomic<bool> goes_on_{false};       ///< calls were under way when the turn was given up last; written before that
    atomic<unsigned> drives_{0};        ///< how often a thread drove; written by who does
    atomic<bool> helper_sleeps_{false}; ///< until needed_
    atomic<bool> has_helper_{false};    ///< from the first call that is not waited for at once
    atomic<bool> stop_{false};          ///< to the helper
    atomic<bool> has_loop_{false};      ///< an event loop steps; written by who has the turn
    atomic<bool> loop_sleeps_{false};   ///< and has not been called since
    unsigned told_ = 0;                 ///< when something has ended last of which the loop was told; of who drives
    std::vector<errand> errands_;       ///< under the lock
    std::vector<errand> in_hand_;       ///< of who drives; its memory and that of errands_ take turns
    typename Primitives::event needed_;
    typename Primitives::thread helper_;
};
using turns = basic_turns<driver, thread_primitives>;

} // namespace tutti::engine

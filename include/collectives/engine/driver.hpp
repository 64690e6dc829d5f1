// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "completion_signal.hpp"
#include "judge.hpp"
#include "log.hpp"
#include "loop_sleep.hpp"
#include "status_writer.hpp"
#include "timeouts.hpp"
#include "under_way.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

namespace tutti::engine {

/// Moves all calls of one rank over one transport; `judge` ends those that fail. One thread drives at a time.
class driver {
public:
    using run = plan_run;
    using messages = point_to_point;
    using clock = transport::clock;
    using members = group;

    driver(transport::any t, completion_signal& ended)
        : transport_(std::move(t)), status_(transport::status::page_of(transport_)), ended_(ended),
          judge_(transport_, ended_, status_, under_way_) {}
    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver() { judge_.leave(last_deadline_); }

    [[nodiscard]] transport::any& transport() noexcept { return transport_; }
    [[nodiscard]] const transport::any& transport() const noexcept { return transport_; }
    /// What ends calls, and knows of communicators.
    [[nodiscard]] tutti::engine::judge& judge() {
        loop_.interrupt();
        return judge_;
    }

    /// Calls are under way.
    [[nodiscard]] bool has_work() const noexcept { return !under_way_.runs.empty() || !under_way_.exchanges.empty(); }

    /// Begins a prepared run, at once or when its slot is free.
    void admit(run& r) {
        loop_.interrupt();
        members& g = r.members();
        if (judge_.end_if_failed(g, &r)) {
            auto why = std::make_shared<const fault>(*g.failure);
            note_begin(r);
            return end_run(r, run_state::failed, std::move(why), ended_, status_.line());
        }
        auto& queue = g.queues[r.slot()];
        const bool waits = queue.first;
        if (!waits) under_way_.runs.push_back(&r); // first, since it may throw
        note_begin(r);
        r.next = nullptr;
        (waits ? queue.last->next : queue.first) = &r;
        queue.last = &r;
        if (waits)
            under_way_.soonest_queued = std::min(under_way_.soonest_queued, r.deadline());
        else
            begin(r);
    }

    /// Drives until `done()`: makes progress, and sleeps when nothing moves.
    template <class Done>
    void drive(Done done) {
        vain_polls_ = 0;
        bool stalled = false;
        clock::time_point last_reading{};
        for (unsigned polls = 1; !done(); ++polls) {
            if (advance() || again_) {
                if (again_ && transport_.crowded()) std::this_thread::yield();
                stalled = false;
                if (polls >= polls_a_clock_ || was_slow_) {
                    polls = 0;
                    last_reading = read_clock(last_reading);
                }
                continue;
            }
            last_reading = {}; // it sleeps
            if (std::exchange(stalled, true)) look(time());
            // By an old reading of the clock this may end too early, which is harmless; a small message would feel a
            // new one.
            if (!done()) sleep(under_way_.next_deadline(known_now_, known_now_ + longest_sleep_));
        }
    }

    /// One round without sleeping. Repeated polls without progress look at the control plane once a tick at most, and
    /// yield now and then: the peer may need this core.
    void poll() {
        if (advance())
            vain_polls_ = 0;
        else
            rest();
    }
    /// Nothing has moved, and it may be looked again at once.
    void rest() {
        if (coarse_now(transport_) >= next_poll_look_) look(time());
        if (transport_.is_timed()) return sleep(time()); // others' time passes, too
        if (++vain_polls_ < (transport_.crowded() ? vain_polls_a_yield / 8 : vain_polls_a_yield)) return;
        vain_polls_ = 0;
        std::this_thread::yield();
    }

    /// Moves what it can without sleeping, for about that long, for an event loop. True: there is more to do, or
    /// something has ended since the last step, and the program may start the next call. Else the loop may sleep; where
    /// there is no descriptor: no call is under way. It lingers while `is_alone()`.
    template <class IsAlone>
    [[nodiscard]] bool step(const IsAlone& is_alone) {
        constexpr auto a_part = std::chrono::microseconds(200);
        const auto begun = time();
        loop_.end(begun);
        bool moved = false;
        for (bool now = advance(); now || again_ || (ended_.ends() == seen_ends_ && lingers(is_alone));
             now = advance()) {
            if (!std::exchange(moved, true) && now) loop_.was_moved();
            if (time() - begun > a_part) return true;
        }
        if (!loop_.has_descriptor()) {
            if (!moved) rest();
            return has_work();
        }
        if (std::exchange(seen_ends_, ended_.ends()) != ended_.ends()) return true;
        if (!moved || begun >= next_poll_look_ || begun >= loop_.next_deadline()) look(begun);
        const bool looks = has_work() || judge_.owes_answers();
        try {
            return !loop_.begin(
                begun, under_way_.next_deadline(begun, looks ? begun + longest_sleep_ : clock::time_point::max()));
        } catch (const std::exception& e) {
            loop_.interrupt();
            judge_.abort_all(e.what());
            loop_.take_call_back(begun + std::chrono::milliseconds(1)); // it may throw each time
            return false;
        }
    }
    [[nodiscard]] loop_sleep& loop() noexcept { return loop_; }
    [[nodiscard]] const loop_sleep& loop() const noexcept { return loop_; }

    /// Admits a run that may take so long from now on. What can wait until its first messages are on their way does:
    /// the clock, which is read by ticks, and the look at the control plane, whose news may end the run at once.
    void admit(run& r, std::chrono::nanoseconds timeout) {
        if (r.what().reduce.is_functor) [[unlikely]] // which looks at the deadline while it runs
            r.end_by(later(time(), timeout));
        admit(r);
        known_now_ = coarse_now(transport_);
        status_.entered(known_now_);
        r.end_by(later(known_now_ + longest_tick, timeout)); // not before its time, unless the tick was late
        last_deadline_ = std::max(last_deadline_, r.deadline());
        if (r.state() == run_state::queued)
            under_way_.soonest_queued = std::min(under_way_.soonest_queued, r.deadline());
        look_on_entry(r.members(), r.state() == run_state::done ? nullptr : &r);
        if (r.members().failure && r.state() == run_state::done) [[unlikely]]
            judge_.take_back(r);
    }

    /// A call that another thread hands over starts now.
    void note_entry(clock::time_point deadline) {
        status_.entered(coarse_now(transport_));
        last_deadline_ = std::max(last_deadline_, deadline);
    }

    /// Starts a send or a receive on a communicator. One that this rank's memory does not suffice for fails it.
    void admit(members& g, message& m) {
        loop_.interrupt();
        if (judge_.end_if_failed(g)) return judge_.fail_unstarted(g, m);
        under_way_.stalled_since = {};
        try {
            if (!g.messages)
                g.messages = std::make_shared<messages>(transport_, g, judge_.known(), ended_, status_.line());
            under_way_.exchanges.reserve(under_way_.exchanges.size() + 1);
        } catch (const std::exception& e) {
            judge_.abort_unbegun(g, in_words(m), e.what());
            return judge_.fail_unstarted(g, m);
        }
        messages& all = *g.messages;
        try {
            all.start(m);
        } catch (const std::exception& e) {
            judge_.abort_for_sure(g, "a send or receive", e.what()); // m is one of those under way
        }
        if (!all.idle() && !std::exchange(all.is_listed, true)) under_way_.exchanges.push_back(&all);
        if (all.trouble()) judge_.tell_trouble(all);
    }
    /// The same for one that may take so long from now on, as with runs. Its owner is the thread that drives.
    void admit(members& g, message& m, std::chrono::nanoseconds timeout) {
        admit(g, m);
        known_now_ = coarse_now(transport_);
        status_.entered(known_now_);
        if (!m.is_over()) {
            m.end_by(later(known_now_ + longest_tick, timeout));
            g.messages->note_deadline(m);
            last_deadline_ = std::max(last_deadline_, m.deadline());
        }
        look_on_entry(g, g.messages.get());
    }

    /// The runs that are under way write to no page any more.
    void stop_recording(const members& g) {
        for (const auto& queue : g.queues)
            for (run* r = queue.first; r; r = r->next) r->record_on({});
    }

    /// The time by the clock of deadlines.
    [[nodiscard]] clock::time_point time() const { return transport_.now(); }

private:
    /// On the status page; end_run() notes the end.
    void note_begin(const run& r) noexcept { status_.line().begin(static_cast<unsigned>(r.what().what), r.request()); }
    /// Begins a run, whose slot's place among those under way it has, and those behind it as long as each is over at
    /// once.
    void begin(run& r) {
        under_way_.stalled_since = {};
        for (run* next = &r; next;) {
            try {
                next->begin(transport_);
            } catch (const std::exception& e) {
                return judge_.abort_unbegun(next->members(), next->words(), e.what());
            }
            next = next->finished() ? complete(*next) : nullptr;
        }
    }
    /// Does work that belongs to no single call. False also if the transport has thrown.
    template <class Work>
    bool guarded(Work work) {
        try {
            return work();
        } catch (const std::exception& e) {
            judge_.abort_all(e.what());
            return false;
        }
    }
    void sleep(clock::time_point until) {
        const bool slept = guarded([&] { return transport_.wait(until), true; });
        if (!slept) std::this_thread::sleep_for(std::chrono::milliseconds(1)); // it may throw each time
    }
    /// On entering a call, once a tick at most.
    template <class Work>
    void look_on_entry(members& g, const Work* entered) {
        if (known_now_ < next_entry_look_) return;
        next_entry_look_ = known_now_ + entry_interval;
        try {
            judge_.take_notices();
            judge_.end_if_failed(g, entered);
        } catch (const std::exception&) {
            // The call is under way, and its owner must get it. It is looked at again when nothing moves.
        }
    }

    /// Looks again and again for a while, in case the next message is near. True: something has moved.
    template <class IsAlone>
    bool lingers(const IsAlone& is_alone) {
        const auto begun = time();
        if (!loop_.may_linger() || !under_way_.is_wanted(begun)) return false;
        while (is_alone()) {
            for (int looks_a_clock = 8; looks_a_clock > 0; --looks_a_clock)
                if (advance() || again_) return loop_.lingered(true), true;
            if (time() - begun > loop_sleep::longest_linger) return loop_.lingered(false), false;
        }
        return false;
    }

    /// One round of progress; false if nothing moved.
    bool advance() {
        loop_.interrupt();
        bool moved = guarded([this] { return transport_.progress(); });
        again_ = false;
        for (std::size_t k = 0; k < under_way_.runs.size();) {
            run& r = *under_way_.runs[k];
            if (!advance(r, moved)) [[unlikely]] {
                k = 0;
                continue;
            }
            again_ |= r.asks_again();
            if (r.needs_a_look() && !attend(r)) [[unlikely]]
                k = 0; // several are gone; to look twice is harmless
            else if (!r.finished())
                ++k;
            else if (run* const follower = complete(r)) // it is now the k-th
                begin(*follower);
        }
        if (!under_way_.exchanges.empty()) moved |= advance_exchanges();
        if (moved) under_way_.stalled_since = {};
        return moved;
    }

    /// False: it could not go on, and its communicator has failed.
    bool advance(run& r, bool& moved) {
        try {
            moved |= r.advance(transport_);
            return true;
        } catch (const std::exception& e) {
            judge_.abort_begun(r, e.what());
            return false;
        }
    }

    /// False: its communicator has failed.
    bool attend(run& r) {
        was_slow_ = r.was_slow() || was_slow_;
        return judge_.attend(r);
    }

    bool advance_exchanges() {
        bool moved = false;
        for (std::size_t k = 0; k < under_way_.exchanges.size();) {
            messages& all = *under_way_.exchanges[k];
            try {
                moved |= all.advance();
            } catch (const std::exception& e) {
                judge_.abort_begun(all, e.what());
            }
            if (all.trouble()) [[unlikely]]
                judge_.tell_trouble(all);
            if (k < under_way_.exchanges.size() && under_way_.exchanges[k] == &all) { // else it has failed
                if (!all.idle()) {
                    ++k;
                } else {
                    all.is_listed = false;
                    under_way_.exchanges.erase(under_way_.exchanges.begin() + static_cast<std::ptrdiff_t>(k));
                }
            }
        }
        return moved;
    }
    /// Reads the clock while things move, and looks around when it is time. So many polls go by from reading to reading
    /// that it takes about a millisecond: a poll may move a few bytes, or many through a slow operator.
    clock::time_point read_clock(clock::time_point last) {
        using namespace std::chrono_literals;
        const auto now = time();
        was_slow_ = false;
        if (last != clock::time_point{}) {
            if (now - last > 4ms)
                polls_a_clock_ = std::max(polls_a_clock_ / 4, 1u);
            else if (now - last < 1ms)
                polls_a_clock_ = std::min(polls_a_clock_ * 2, 64u);
        }
        if (now >= next_look_) look(now);
        return now;
    }

    /// Returns the run whose turn in the slot comes now, null if none waits. It takes this one's place in
    /// under_way_.runs.
    [[nodiscard]] run* complete(run& r) {
        r.conclude();
        under_way_.replace(r, r.next);
        members& g = r.members();
        auto& past = g.done[r.request() % remembered_calls];
        if (std::exchange(past.by, &r) != &r || r.same_since() > past.request) past.what = r.what();
        past.request = r.request();
        past.signature = r.signature();
        auto& queue = g.queues[r.slot()];
        run* const follower = queue.first = r.next;
        end_run(r, run_state::done, {}, ended_, status_.line());
        return follower;
    }

    void look(clock::time_point now) {
        known_now_ = now;
        next_look_ = now + look_interval;
        next_poll_look_ = next_entry_look_ = now + entry_interval;
        guarded([&] {
            judge_.look_around(now);
            status_.looked(under_way_, now);
            stalls_.look(transport_, under_way_, now);
            return true;
        });
    }

    transport::any transport_;
    loop_sleep loop_{transport_};
    status_writer status_;
    stall_log stalls_;
    completion_signal& ended_;
    under_way under_way_;
    tutti::engine::judge judge_;
    clock::time_point known_now_{}; ///< the last reading of the clock, when a call was entered or nothing moved
    clock::time_point next_look_{}, next_entry_look_{}, next_poll_look_{};
    clock::time_point last_deadline_ = clock::time_point::min(); ///< of all calls
    unsigned polls_a_clock_ = 8;
    const std::chrono::nanoseconds longest_sleep_{transport_.is_timed() ? std::chrono::nanoseconds(timed_look_interval)
                                                                        : look_interval};
    bool was_slow_ = false;  ///< an operator, in the last poll
    bool again_ = false;     ///< an executor wants to be asked again without a sleep
    int vain_polls_ = 0;     ///< since something moved or was waited for
    unsigned seen_ends_ = 0; ///< by step()
};

} // namespace tutti::engine

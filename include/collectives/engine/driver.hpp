// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"

// Long because the code that moves runs and the code that ends them share all of its state.

#include "closed_communicators.hpp"
#include "coarse_clock.hpp"
#include "completion_signal.hpp"
#include "faults.hpp"
#include "inquiries.hpp"
#include "leave.hpp"
#include "local_diagnosis.hpp"
#include "status_writer.hpp"
#include "timeouts.hpp"
#include "world_status.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::engine {

/// Moves all runs of one rank over one transport, and ends those that fail. All of it runs on one thread at a time.
template <transport::transport Transport>
class driver {
public:
    using run = execution<Transport>;
    using messages = point_to_point<Transport>;
    using clock = transport::clock;
    using members = group<Transport>;

    driver(Transport t, completion_signal& ended)
        : transport_(std::move(t)), world_status_(transport_.size()), status_(transport::status::page_of(transport_)),
          ended_(ended) {}

    driver(const driver&) = delete;
    driver& operator=(const driver&) = delete;
    ~driver() {
        closed_.tell(transport_);
        if (failed_) return; // and the program has not gone on: the transport gives its peers a second
        leave(transport_, std::max(last_deadline_, time() + std::chrono::seconds(1)),
              [this](int peer) { return world_status_.of(peer) != world_status::presence::here; });
    }

    [[nodiscard]] Transport& transport() noexcept { return transport_; }
    [[nodiscard]] const Transport& transport() const noexcept { return transport_; }

    /// Begins a prepared run, at once or when its slot is free.
    void admit(run& r) {
        members& g = r.members();
        if (judge(g, &r)) {
            auto why = std::make_shared<const fault>(*g.failure);
            note_begin(r);
            return finish(r, run_state::failed, std::move(why));
        }
        auto& queue = g.queues[r.slot()];
        const bool waits = queue.first;
        if (!waits) active_.push_back(&r); // first, since it may throw
        note_begin(r);
        r.next = nullptr;
        (waits ? queue.last->next : queue.first) = &r;
        queue.last = &r;
        if (waits)
            soonest_queued_ = std::min(soonest_queued_, r.deadline());
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
            if (!done()) sleep(next_deadline(known_now_));
        }
    }

    /// One round without sleeping. Repeated polls without progress look at the control plane once a tick at most, and
    /// yield now and then: the peer may need this core.
    void poll() {
        if (advance()) {
            vain_polls_ = 0;
            return;
        }
        if (coarse_now(transport_) >= next_poll_look_) look(time());
        if constexpr (timed) return sleep(time()); // others' time passes, too
        if (++vain_polls_ < (transport_.crowded() ? vain_polls_a_yield / 8 : vain_polls_a_yield)) return;
        vain_polls_ = 0;
        std::this_thread::yield();
    }

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
        if (r.state() == run_state::queued) soonest_queued_ = std::min(soonest_queued_, r.deadline());
        look_on_entry(r.members());
        if (r.members().failure && r.state() == run_state::done) [[unlikely]]
            take_back(r);
    }

    /// A call that another thread hands over starts now.
    void note_entry() { status_.entered(coarse_now(transport_)); }

    /// Starts a send or a receive on a communicator. One that this rank's memory does not suffice for fails it.
    void admit(members& g, message& m) {
        if (judge(g)) return fail_unstarted(m, *g.failure);
        stalled_since_ = {};
        try {
            if (!g.messages) g.messages = std::make_shared<messages>(transport_, g, ended_, status_.line());
            exchanges_.reserve(exchanges_.size() + 1);
        } catch (const std::exception& e) {
            abort(g, could_not("begin", in_words(m), e.what()));
            return fail_unstarted(m, *g.failure);
        }
        messages& all = *g.messages;
        try {
            all.start(m);
        } catch (const std::exception& e) {
            abort_for_sure(g, "a send or receive", e.what()); // m is one of those under way
        }
        if (!all.idle() && !std::exchange(all.is_listed, true)) exchanges_.push_back(&all);
        if (all.trouble()) tell_trouble(all);
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
        look_on_entry(g);
    }

    /// Does nothing if the communicator has failed before.
    void abort(members& g, const std::string& reason) {
        take_notices();
        if (judge(g)) return;
        auto n = notice_about(transport_, g, transport::notice_kind::abort);
        n.text = reason;
        transport_.tell(n);
        fail(g, fault_of(transport_, static_cast<const run*>(nullptr), cause::aborted, transport_.rank(), reason));
    }

    /// The runs that are under way write to no page any more.
    void stop_recording(const members& g) {
        for (const auto& queue : g.queues)
            for (run* r = queue.first; r; r = r->next) r->record_on({});
    }

    /// A communicator is there, and the coordinator may ask about it, until it is closed for good.
    void open(const members& g) { inquiries_.add(g); }
    /// The program knows of the failure that was told last, and calls on.
    void resume() {
        if (std::exchange(failed_, false)) status_.resumed(); // and its later sends count again
        world_status_.note_known(std::exchange(failed_by_, -1));
        if (!std::exchange(told_failure_, false)) return;
        transport::notice n;
        n.kind = transport::notice_kind::resumed;
        n.rank = transport_.rank();
        transport_.tell(n);
    }

    void close(members& g) {
        for (std::uint32_t s = 0; s < slot_count; ++s) transport_.close({g.id, s});
        // Whether or not this rank has used them: peers may have sent what it never received.
        transport_.close(messages::packets_of(g));
        transport_.close(messages::bodies_of(g));
    }
    /// Closes a communicator for good. The calls made on it are told when this rank leaves.
    void close_for_good(members& g, const call_sequence& made) {
        close(g);
        forget(g);
        inquiries_.remove(g);
        closed_.add(g, made);
    }

    /// The time by the clock of deadlines.
    [[nodiscard]] clock::time_point time() const { return transport::now_of(transport_); }

private:
    static constexpr bool timed = transport::timed_transport<Transport>;
    static constexpr std::chrono::nanoseconds longest_sleep = timed ? timed_look_interval : look_interval;

    /// On the status page; finish() notes the end.
    void note_begin(const run& r) noexcept { status_.line().begin(static_cast<unsigned>(r.what().what), r.request()); }
    /// Begins a run, whose slot's place in active_ it has, and those behind it as long as each is over at once.
    void begin(run& r) {
        stalled_since_ = {};
        for (run* next = &r; next;) {
            try {
                next->begin(transport_);
            } catch (const std::exception& e) {
                return abort_unbegun(*next, e.what());
            }
            next = next->finished() ? complete(*next) : nullptr;
        }
    }
    /// It could not begin, for want of memory or descriptors: its communicator fails, everywhere.
    void abort_unbegun(run& r, const std::string& why) { abort(r.members(), could_not("begin", r.words(), why)); }
    /// The same for one that is under way.
    template <class Work>
    [[gnu::cold]] void abort_begun(Work& w, const std::string& why) {
        const auto call = w.words(); // none, if its messages have all come
        abort(w.members(), could_not("go on with", call.empty() ? "its messages" : call, why));
    }
    /// Where even telling fails, for want of memory, the messages under way end all the same: their owners may go.
    [[gnu::cold]] void abort_for_sure(members& g, const char* call, const char* why) {
        try {
            abort(g, could_not("begin", call, why));
        } catch (const std::exception&) {
            close(g);
            forget(g);
            g.failure.emplace().why = cause::aborted;
            g.messages->fail(out_of_memory_);
        }
    }
    [[nodiscard]] std::string could_not(const char* do_this, const std::string& call, const std::string& why) const {
        return "rank " + std::to_string(transport_.rank()) + " could not " + do_this + " " + call + ": " + why;
    }
    /// The transport has thrown where any call may be concerned: all that are under way fail, everywhere.
    [[gnu::cold]] void abort_all(const std::string& why) {
        while (!active_.empty()) abort_begun(*active_.front(), why);
        for (std::size_t k = 0; k < exchanges_.size();)
            if (exchanges_[k]->idle())
                ++k;
            else
                abort_begun(*exchanges_[k], why);
    }
    /// Does work that belongs to no single call. False also if the transport has thrown.
    template <class Work>
    bool guarded(Work work) {
        try {
            return work();
        } catch (const std::exception& e) {
            abort_all(e.what());
            return false;
        }
    }
    void sleep(clock::time_point until) {
        const bool slept = guarded([&] { return transport_.wait(until), true; });
        if (!slept) std::this_thread::sleep_for(std::chrono::milliseconds(1)); // it may throw each time
    }
    void fail_unstarted(message& m, const fault& why) {
        const auto lock = ended_.hold();
        m.end(run_state::failed, std::make_shared<const fault>(why));
        ended_.notify();
    }
    /// On entering a call, once a tick at most.
    void look_on_entry(members& g) {
        if (known_now_ < next_entry_look_) return;
        try {
            take_notices();
            judge(g);
        } catch (const std::exception&) {
            // The call is under way, and its owner must get it. It is looked at again when nothing moves.
        }
    }

    /// Fails a run that was over as soon as it began, since all that it waits for had been there. The others have given
    /// up that call, or one before it. Its owner is the thread that drives.
    void take_back(run& r) {
        const auto* verdict = world_status_.verdict_on(r.members().id);
        if (!verdict || verdict->request > r.request()) return;
        const auto lock = ended_.hold();
        r.end(run_state::failed, std::make_shared<const fault>(*r.members().failure));
        ended_.notify();
    }

    /// One round of progress; false if nothing moved.
    bool advance() {
        bool moved = guarded([this] { return transport_.progress(); });
        again_ = false;
        for (std::size_t k = 0; k < active_.size();) {
            run& r = *active_[k];
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
        if (!exchanges_.empty()) moved |= advance_exchanges();
        if (moved) stalled_since_ = {};
        return moved;
    }

    /// False: it could not go on, and its communicator has failed.
    bool advance(run& r, bool& moved) {
        try {
            moved |= r.advance(transport_);
            return true;
        } catch (const std::exception& e) {
            abort_begun(r, e.what());
            return false;
        }
    }

    bool advance_exchanges() {
        bool moved = false;
        for (std::size_t k = 0; k < exchanges_.size();) {
            messages& all = *exchanges_[k];
            try {
                moved |= all.advance();
            } catch (const std::exception& e) {
                abort_begun(all, e.what());
            }
            if (all.trouble()) [[unlikely]]
                tell_trouble(all);
            if (k < exchanges_.size() && exchanges_[k] == &all) { // else it has failed
                if (!all.idle()) {
                    ++k;
                } else {
                    all.is_listed = false;
                    exchanges_.erase(exchanges_.begin() + static_cast<std::ptrdiff_t>(k));
                }
            }
        }
        return moved;
    }
    /// Messages that do not fit are seen by their receiver alone, which knows both: it tells all.
    void tell_trouble(messages& all) {
        members& g = all.members();
        const auto& t = *all.trouble();
        if (g.failure) return;
        const int peer = all.peer_of(t.peer);
        auto n = notice_about(transport_, g, transport::notice_kind::abort);
        n.why = t.why;
        n.peer = peer;
        n.text = "rank " + std::to_string(transport_.rank()) + ": " + t.text;
        transport_.tell(n);
        fail(g, fault_of(transport_, &all, t.why, peer, n.text));
    }
    /// Nothing of it is looked at any more.
    void forget(const members& g) noexcept {
        if (!g.messages) return;
        g.messages->is_listed = false;
        std::erase(exchanges_, g.messages.get());
    }

    /// False: its communicator has failed.
    bool attend(run& r) {
        was_slow_ = r.was_slow() || was_slow_;
        if (!r.executor_failure().empty()) {
            abort(r.members(), "the executor of rank " + std::to_string(transport_.rank()) + " has failed in " +
                                   in_words(r.what()) + ": " + r.executor_failure());
            return false;
        }
        if (!r.is_in_trouble() || r.reported().sent) return true;
        const int step = r.mismatched_step();
        const auto kind = step >= 0 ? transport::notice_kind::mismatch : transport::notice_kind::timeout;
        auto told = notice_of(transport_, r, kind, step >= 0 ? step : r.waiting_step());
        told.text = r.lengths_in_words();
        report(r, std::move(told), time());
        return true;
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

    /// Returns the run whose turn in the slot comes now, null if none waits. It takes this one's place in active_.
    [[nodiscard]] run* complete(run& r) {
        r.conclude();
        give_place(r, r.next);
        members& g = r.members();
        auto& past = g.done[r.request() % remembered_calls];
        if (std::exchange(past.by, &r) != &r || r.same_since() > past.request) past.what = r.what();
        past.request = r.request();
        past.signature = r.signature();
        auto& queue = g.queues[r.slot()];
        run* const follower = queue.first = r.next;
        finish(r, run_state::done, {});
        return follower;
    }

    void give_place(const run& r, run* follower) noexcept {
        std::size_t k = 0;
        while (active_[k] != &r) ++k;
        if (follower)
            active_[k] = follower;
        else
            active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(k));
    }

    /// The last touch of a run: its owner may use or destroy it from now on.
    void finish(run& r, run_state s, std::shared_ptr<const fault> why) {
        status_.line().end();
        const auto lock = ended_.hold();
        r.end(s, std::move(why));
        ended_.notify();
    }

    void look(clock::time_point now) {
        guarded([&] { return look_around(now), true; });
    }
    void look_around(clock::time_point now) {
        known_now_ = now;
        next_look_ = now + look_interval;
        next_poll_look_ = now + entry_interval;
        if (stalled_since_ == clock::time_point{}) stalled_since_ = now;
        take_notices();
        const bool queued_too = now >= soonest_queued_;
        if (queued_too) soonest_queued_ = clock::time_point::max();
        for (std::size_t k = 0; k < active_.size();) {
            const std::size_t before = active_.size();
            examine_slot(*active_[k], now, queued_too);
            k = active_.size() == before ? k + 1 : 0; // a failure ends several at once; to look twice is harmless
        }
        for (std::size_t k = 0; k < exchanges_.size();) {
            const std::size_t before = exchanges_.size();
            if (!exchanges_[k]->idle()) examine(*exchanges_[k], now);
            k = exchanges_.size() == before ? k + 1 : 0;
        }
        status_.looked(under_way(), now, stalled_since_);
    }
    /// Looks at the run that is under way in a slot, and at those behind it when one of them may be late.
    void examine_slot(run& first, clock::time_point now, bool queued_too) {
        const members& g = first.members();
        examine(first, now);
        if (!queued_too) return;
        for (run* r = &first; !g.failure && (r = r->next);) {
            examine(*r, now);
            if (!g.failure && due(*r) > now) soonest_queued_ = std::min(soonest_queued_, due(*r));
        }
    }

    void take_notices() {
        next_entry_look_ = known_now_ + entry_interval;
        transport::notice n;
        while (transport_.fetch(n)) {
            if (n.kind == transport::notice_kind::inquiry) {
                inquiries_.ask(std::move(n), time());
                continue;
            }
            if (n.kind == transport::notice_kind::lost && n.rank == 0 && n.peer == 0 && transport_.rank() != 0)
                find_first_cause(transport_, world_status_, n, time());
            world_status_.record(n, n.kind == transport::notice_kind::lost ? time() : known_now_);
        }
        if (inquiries_.any()) inquiries_.answer(transport_, under_way(), time());
    }

    /// Ends the communicator if the control plane has said so; true if it has ended, now or before: then its runs may
    /// belong to others again, and it with them. `r` is one of its runs, or null.
    template <class Work = run>
    bool judge(members& g, const Work* r = nullptr) {
        if (g.failure) return true;
        return !world_status_.all_well() && judge_by_status(g, r);
    }
    template <class Work>
    bool judge_by_status(members& g, const Work* r) {
        if (const auto* v = world_status_.verdict_on(g.id)) {
            fail(g, fault_of(transport_, r, v->why, v->peer, v->text));
            return true;
        }
        for (const int m : world_status_.lost()) {
            if (std::find(g.members.begin(), g.members.end(), m) == g.members.end()) continue;
            fail(g, fault_of(transport_, r, world_status_.why(m), world_status_.culprit(m), world_status_.how(m)));
            return true;
        }
        return false;
    }

    /// Ends a run whose communicator has failed, whose peer is gone, or whose time is over.
    template <class Work>
    void examine(Work& r, clock::time_point now) {
        members& g = r.members();
        if (judge(g, &r)) return;
        if (r.reported().sent) {
            if (now >= r.reported().answer_due) fail(g, local_diagnosis(transport_, world_status_, r));
        } else if (now >= r.deadline()) {
            const Work& at = holder_of_slot(r);
            report(r, notice_of(transport_, at, transport::notice_kind::timeout, at.waiting_step()), now);
        } else if (r.state() == run_state::running && now - stalled_since_ >= stall_before_fault) {
            examine_peers(r, now);
        }
    }

    template <class Work>
    TUTTI_COLD void examine_peers(Work& r, clock::time_point now) {
        for (const int m : r.members().members) {
            const int step = m == transport_.rank() ? -1 : r.step_waiting_for(m);
            if (step < 0) continue;
            if constexpr (requires { transport_.shortage(m); })
                if (const auto lack = transport_.shortage(m))
                    return abort(r.members(), "rank " + std::to_string(transport_.rank()) + " cannot go on: " + *lack);
            // A rank that has left will never send: reported as a timeout before its time, which the coordinator
            // answers at once.
            if (world_status_.of(m) == world_status::presence::left)
                return coordinator_is_lost()
                           ? fail(r.members(), local_diagnosis(transport_, world_status_, r))
                           : report(r, notice_of(transport_, r, transport::notice_kind::timeout, step), now);
            const auto how = transport_.broken(m);
            if (how && (coordinator_is_lost() || now - accusation_timeout > r.reported().accused))
                return fail(r.members(), fault_of_broken(transport_, world_status_, r, m, *how));
            if (how && r.reported().accused == clock::time_point::max()) accuse(r, step, *how, now);
        }
    }

    /// Nobody collects reports any more. When rank 0 has left in good order the coordinator may stay for a while.
    [[nodiscard]] bool coordinator_is_lost() const {
        return transport_.rank() != 0 && world_status_.of(0) == world_status::presence::lost;
    }

    /// The coordinator finds out whether a peer that cannot be reached is lost or has left; either way we hear of it.
    template <class Work>
    void accuse(Work& r, int step, const std::string& how, clock::time_point now) {
        transport_.tell(notice_of_unreachable(transport_, r, step, how));
        r.reported().accused = now;
    }

    template <class Work>
    void report(Work& r, transport::notice n, clock::time_point now) {
        inquiries_.tell_unreachable(transport_, under_way());
        n.waits = inquiries_.waits_of(under_way(), n.communicator, now);
        transport_.tell(n);
        r.reported().sent = true;
        r.reported().answer_due = now + verdict_grace;
    }

    /// Ends all runs of a communicator and makes it unusable. Their buffers are free when they are over.
    TUTTI_COLD void fail(members& g, const fault& why) {
        {
            const auto lock = ended_.hold();
            g.failure = why;
        }
        failed_ = true;
        failed_by_ = why.peer;
        status_.failed(why.detail);
        close(g);
        tell_of_failure(g, why);
        const auto reason = std::make_shared<const fault>(why);
        std::erase_if(active_, [&](run* r) { return &r->members() == &g; });
        for (const auto& queue : std::exchange(g.queues, {}))
            for (run *r = queue.first, *next = nullptr; r; r = next) {
                next = r->next;
                r->stop();
                finish(*r, run_state::failed, reason);
            }
        forget(g);
        if (g.messages) g.messages->fail(reason);
    }

    /// So that others do not blame this rank for its next acts, but the rank that made its calls fail.
    void tell_of_failure(const members& g, const fault& why) {
        if (why.peer < 0 || std::exchange(told_failure_, true)) return;
        auto n = notice_about(transport_, g, transport::notice_kind::failed);
        n.why = why.why;
        n.peer = why.peer;
        n.text = why.detail;
        transport_.tell(n);
    }

    [[nodiscard]] typename inquiries<Transport>::work under_way() const noexcept { return {active_, exchanges_}; }

    /// When something is to be done about a run that goes on as it is.
    template <class Work>
    [[nodiscard]] static clock::time_point due(const Work& r) noexcept {
        return r.reported().sent ? r.reported().answer_due : r.deadline();
    }

    [[nodiscard]] clock::time_point next_deadline(clock::time_point now) const {
        auto soonest = now + longest_sleep;
        if (soonest_queued_ > now) soonest = std::min(soonest, soonest_queued_);
        for (const run* r : active_)
            if (due(*r) > now) soonest = std::min(soonest, due(*r));
        for (const messages* m : exchanges_)
            if (due(*m) > now) soonest = std::min(soonest, due(*m));
        return soonest;
    }

    Transport transport_;
    world_status world_status_;
    status_writer<Transport> status_;
    completion_signal& ended_;
    /// Those whose turn in their slot it is: four a communicator at most, however many wait behind them.
    std::vector<run*> active_;
    std::vector<messages*> exchanges_; ///< of communicators with sends or receives under way
    clock::time_point known_now_{};    ///< the last reading of the clock, when a call was entered or nothing moved
    clock::time_point next_look_{}, next_entry_look_{}, next_poll_look_{}, stalled_since_{};
    /// No run that waits for its slot is due before.
    clock::time_point soonest_queued_ = clock::time_point::max();
    clock::time_point last_deadline_ = clock::time_point::min(); ///< of all calls
    bool failed_ = false;                                        ///< a communicator has
    int failed_by_ = -1;                                         ///< the rank at fault, of the last one
    unsigned polls_a_clock_ = 8;
    bool was_slow_ = false; ///< an operator, in the last poll
    bool again_ = false;    ///< an executor wants to be asked again without a sleep
    int vain_polls_ = 0;    ///< since something moved or was waited for
    inquiries<Transport> inquiries_;
    bool told_failure_ = false; ///< to the coordinator, and the program has not called on since
    closed_communicators closed_;
    /// Made in time: why messages fail where memory lacks to say more.
    const std::shared_ptr<const fault> out_of_memory_ = [] {
        auto why = std::make_shared<fault>();
        why->why = cause::aborted;
        why->detail = "this rank has no memory left";
        return why;
    }();
};

} // namespace tutti::engine

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../base/log.hpp"
#include "completion_signal.hpp"
#include "inquiries.hpp"
#include "leave.hpp"
#include "local_diagnosis.hpp"
#include "status_writer.hpp"
#include "timeouts.hpp"
#include "under_way.hpp"
#include "world_status.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace tutti::engine {

/// The last touch of a run: its owner may use or destroy it from now on.
inline void end_run(plan_run& r, run_state s, std::shared_ptr<const fault> why, completion_signal& ended,
                    transport::status::call_line& line) {
    line.end();
    const auto lock = ended.hold();
    r.end(s, std::move(why));
    ended.notify();
}

/// Ends the calls of one rank that cannot come to their end: their communicator has failed, a peer is gone, their time
/// is over, or their messages do not fit. Tells the coordinator of them, and answers it. Who is to blame the
/// coordinator says (control/verdict.hpp); without it local_diagnosis.hpp. Called by the thread that drives alone.
class judge {
public:
    using run = plan_run;
    using messages = point_to_point;
    using clock = transport::clock;
    using members = group;

    judge(transport::any& t, completion_signal& ended, status_writer& status, under_way& all)
        : transport_(t), world_status_(t.size()), status_(status), ended_(ended), under_way_(all) {}
    judge(const judge&) = delete;
    judge& operator=(const judge&) = delete;

    /// Before the transport goes. Waits until the last deadline, or for a second, for peers that have not yet taken
    /// what was sent. Not where a communicator has failed and the program has not gone on: the transport gives peers a
    /// second then.
    void leave(clock::time_point last_deadline) {
        closed_.tell(transport_);
        if (failed_) return;
        tutti::engine::leave(transport_, std::max(last_deadline, time() + std::chrono::seconds(1)),
                             [this](int peer) { return world_status_.of(peer) != world_status::presence::here; });
    }

    /// A communicator is there, and the coordinator may ask about it, until it is closed for good.
    void open(const members& g) { inquiries_.add(g); }
    [[nodiscard]] const world_status& known() const noexcept { return world_status_; }
    /// The coordinator has asked something, of which this rank may know more soon.
    [[nodiscard]] bool owes_answers() const noexcept { return inquiries_.any(); }
    /// Closes a communicator for good. The calls made on it are told when this rank leaves.
    void close_for_good(members& g, const call_sequence& made) {
        close(g);
        under_way_.forget(g);
        inquiries_.remove(g);
        closed_.add(g, made);
    }

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

    /// Ends the communicator if the control plane has said so; true if it has ended, now or before: then its runs may
    /// belong to others again, and it with them. `r` is one of its runs, or null.
    template <class Work = run>
    bool end_if_failed(members& g, const Work* r = nullptr) {
        if (g.failure) return true;
        return !world_status_.all_well() && fail_by_status(g, r);
    }
    /// Reads what the control plane has sent.
    void take_notices() {
        transport::notice n;
        while (transport_.fetch(n)) {
            if (n.kind == transport::notice_kind::inquiry) {
                inquiries_.ask(std::move(n), time());
                continue;
            }
            if (n.kind == transport::notice_kind::lost || n.kind == transport::notice_kind::departed)
                log([&] { return n.text.empty() ? "rank " + std::to_string(n.rank) + " has left" : n.text; });
            if (n.kind == transport::notice_kind::lost && n.rank == 0 && n.peer == 0 && transport_.rank() != 0)
                find_first_cause(transport_, world_status_, n, time());
            world_status_.record(n, time());
        }
        if (inquiries_.any()) inquiries_.answer(transport_, under_way_, time());
    }
    /// Reads that, and looks at all that is under way.
    void look_around(clock::time_point now) {
        if (under_way_.stalled_since == clock::time_point{}) under_way_.stalled_since = now;
        take_notices();
        const bool queued_too = now >= under_way_.soonest_queued;
        if (queued_too) under_way_.soonest_queued = clock::time_point::max();
        for (std::size_t k = 0; k < under_way_.runs.size();) {
            const std::size_t before = under_way_.runs.size();
            examine_slot(*under_way_.runs[k], now, queued_too);
            // A failure ends several at once; to look twice is harmless.
            k = under_way_.runs.size() == before ? k + 1 : 0;
        }
        for (std::size_t k = 0; k < under_way_.exchanges.size();) {
            const std::size_t before = under_way_.exchanges.size();
            if (!under_way_.exchanges[k]->idle()) examine(*under_way_.exchanges[k], now);
            k = under_way_.exchanges.size() == before ? k + 1 : 0;
        }
    }

    /// Looks at a run that asks for it. False: its communicator has failed.
    [[nodiscard]] bool attend(run& r) {
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
    /// Fails a run that was over as soon as it began, since all that it waits for had been there. The others have given
    /// up that call, or one before it. Its owner is the thread that drives.
    void take_back(run& r) {
        const auto* verdict = world_status_.verdict_on(r.members().id);
        if (!verdict || verdict->request > r.request()) return;
        const auto lock = ended_.hold();
        r.end(run_state::failed, std::make_shared<const fault>(*r.members().failure));
        ended_.notify();
    }
    /// A send or receive on a communicator that has failed.
    void fail_unstarted(const members& g, message& m) {
        const auto lock = ended_.hold();
        m.end(run_state::failed, std::make_shared<const fault>(*g.failure));
        ended_.notify();
    }

    /// Does nothing if the communicator has failed before.
    void abort(members& g, const std::string& reason) {
        take_notices();
        if (end_if_failed(g)) return;
        auto n = notice_about(transport_, g, transport::notice_kind::abort);
        n.text = reason;
        transport_.tell(n);
        fail(g, fault_of(transport_, static_cast<const run*>(nullptr), cause::aborted, transport_.rank(), reason));
    }

    /// A call could not begin, for want of memory or descriptors: its communicator fails, everywhere.
    TUTTI_COLD void abort_unbegun(members& g, const std::string& call, const std::string& why) {
        abort(g, could_not("begin", call, why));
    }
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
            under_way_.forget(g);
            if (const auto lock = ended_.hold(); !g.failure) {
                g.failure.emplace().why = cause::aborted;
                g.has_failed.store(true, std::memory_order_release);
            }
            g.messages->fail(out_of_memory_);
        }
    }
    /// The transport has thrown where any call may be concerned: all that are under way fail, everywhere.
    [[gnu::cold]] void abort_all(const std::string& why) {
        while (!under_way_.runs.empty()) abort_begun(*under_way_.runs.front(), why);
        for (std::size_t k = 0; k < under_way_.exchanges.size();)
            if (under_way_.exchanges[k]->idle())
                ++k;
            else
                abort_begun(*under_way_.exchanges[k], why);
    }

private:
    template <class Text>
    void log(const Text& text) const {
        tutti::detail::log::say(transport_.rank(), text);
    }
    [[nodiscard]] clock::time_point time() const { return transport_.now(); }
    [[nodiscard]] std::string could_not(const char* do_this, const std::string& call, const std::string& why) const {
        return "rank " + std::to_string(transport_.rank()) + " could not " + do_this + " " + call + ": " + why;
    }
    void close(members& g) {
        for (std::uint32_t s = 0; s < slot_count; ++s) transport_.close({g.id, s});
        // Whether or not this rank has used them: peers may have sent what it never received.
        transport_.close(messages::packets_of(g));
        transport_.close(messages::bodies_of(g));
    }
    /// Looks at the run that is under way in a slot, and at those behind it when one of them may be late.
    void examine_slot(run& first, clock::time_point now, bool queued_too) {
        const members& g = first.members();
        examine(first, now);
        if (!queued_too) return;
        for (run* r = &first; !g.failure && (r = r->next);) {
            examine(*r, now);
            if (!g.failure && under_way_.due(*r) > now)
                under_way_.soonest_queued = std::min(under_way_.soonest_queued, under_way_.due(*r));
        }
    }

    template <class Work>
    bool fail_by_status(members& g, const Work* r) {
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
        if (end_if_failed(g, &r)) return;
        if (r.reported().sent) {
            if (now >= r.reported().answer_due) fail(g, local_diagnosis(transport_, world_status_, r));
        } else if (now >= r.deadline()) {
            const Work& at = holder_of_slot(r);
            report(r, notice_of(transport_, at, transport::notice_kind::timeout, at.waiting_step()), now);
        } else if (r.state() == run_state::running && now - under_way_.stalled_since >= stall_before_fault) {
            examine_peers(r, now);
        }
    }

    template <class Work>
    TUTTI_COLD void examine_peers(Work& r, clock::time_point now) {
        if constexpr (!Work::has_steps)
            if (r.waits_for_any() && r.is_wanted(now) && r.members().size() > 1 && have_others_left(r.members(), now))
                return report(r, notice_of(transport_, r, transport::notice_kind::timeout, r.waiting_step()), now);
        for (const int m : r.members().members) {
            const int step = m == transport_.rank() ? -1 : r.step_waiting_for(m);
            bool waits_for_any = false; // and so for this rank as well
            if constexpr (!Work::has_steps) waits_for_any = step < 0 && m != transport_.rank() && r.waits_for_any();
            if (step < 0 && !waits_for_any) continue;
            if (const auto lack = transport_.shortage(m))
                return abort(r.members(), "rank " + std::to_string(transport_.rank()) + " cannot go on: " + *lack);
            // A rank that has left will never send: reported as a timeout before its time, which the coordinator
            // answers at once. What it had sent may have come since this rank looked for it, if that is news: then it
            // looks again first.
            if (step >= 0 && world_status_.of(m) == world_status::presence::left && world_status_.since(m) <= now)
                return coordinator_is_lost()
                           ? fail(r.members(), local_diagnosis(transport_, world_status_, r))
                           : report(r, notice_of(transport_, r, transport::notice_kind::timeout, step), now);
            const auto how = transport_.broken(m);
            if (waits_for_any && world_status_.of(m) != world_status::presence::here) continue; // others may send
            if (how && !waits_for_any && (coordinator_is_lost() || now - accusation_timeout > r.reported().accused))
                return fail(r.members(), fault_of_broken(transport_, world_status_, r, m, *how));
            if (how && r.reported().accused == clock::time_point::max()) accuse(r, m, step, *how, now);
        }
    }

    [[nodiscard]] bool have_others_left(const members& g, clock::time_point now) const {
        return std::all_of(g.members.begin(), g.members.end(), [&](int m) {
            return m == transport_.rank() ||
                   (world_status_.of(m) == world_status::presence::left && world_status_.since(m) <= now);
        });
    }
    /// Nobody collects reports any more. When rank 0 has left in good order the coordinator may stay for a while.
    [[nodiscard]] bool coordinator_is_lost() const {
        return transport_.rank() != 0 && world_status_.of(0) == world_status::presence::lost;
    }

    /// The coordinator finds out whether a peer that cannot be reached is lost or has left; either way we hear of it.
    template <class Work>
    void accuse(Work& r, int peer, int step, const std::string& how, clock::time_point now) {
        transport_.tell(notice_of_unreachable(transport_, r, peer, step, how));
        r.reported().accused = now;
    }

    template <class Work>
    void report(Work& r, transport::notice n, clock::time_point now) {
        inquiries_.tell_unreachable(transport_, under_way_);
        n.waits = inquiries_.waits_of(under_way_, n.communicator, now);
        transport_.tell(n);
        r.reported().sent = true;
        r.reported().answer_due = now + verdict_grace;
    }

    /// Ends all runs of a communicator and makes it unusable. Their buffers are free when they are over.
    TUTTI_COLD void fail(members& g, fault why) {
        const auto found = std::find(g.members.begin(), g.members.end(), why.peer);
        if (found != g.members.end()) why.peer_in_call = static_cast<int>(found - g.members.begin());
        {
            const auto lock = ended_.hold();
            g.failure = why;
            g.has_failed.store(true, std::memory_order_release);
        }
        log([&] { return "a communicator has failed: " + std::string(name_of(why.why)) + ", " + why.detail + g.name; });
        failed_ = true;
        failed_by_ = why.peer;
        status_.failed(why.detail);
        close(g);
        tell_of_failure(g, why);
        const auto reason = std::make_shared<const fault>(why);
        std::erase_if(under_way_.runs, [&](run* r) { return &r->members() == &g; });
        for (const auto& queue : std::exchange(g.queues, {}))
            for (run *r = queue.first, *next = nullptr; r; r = next) {
                next = r->next;
                r->stop();
                end_run(*r, run_state::failed, reason, ended_, status_.line());
            }
        under_way_.forget(g);
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

    transport::any& transport_;
    world_status world_status_;
    status_writer& status_;
    completion_signal& ended_;
    under_way& under_way_;
    inquiries inquiries_;
    closed_communicators closed_;
    bool failed_ = false;       ///< a communicator has
    int failed_by_ = -1;        ///< the rank at fault, of the last one
    bool told_failure_ = false; ///< to the coordinator, and the program has not called on since
    /// Made in time: why messages fail where memory lacks to say more.
    const std::shared_ptr<const fault> out_of_memory_ = [] {
        auto why = std::make_shared<fault>();
        why->why = cause::aborted;
        why->detail = "this rank has no memory left";
        return why;
    }();
};

} // namespace tutti::engine

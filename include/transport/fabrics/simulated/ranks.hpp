// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "control.hpp"
#include "helpers.hpp"
#include "messages.hpp"
#include "world.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti::transport::detail {

/// A simulated world, as its ranks see it.
class simulated_ranks final : public simulated_world, public std::enable_shared_from_this<simulated_ranks> {
public:
    using standing = simulated_desk::standing;

    explicit simulated_ranks(simulated_options o)
        : options(std::move(o)), begin(clock::now()), desks_(static_cast<std::size_t>(options.size)), time(begin),
          messages(time, options, desks_, pools_), control(time, options.size, [this](int rank) { return call(rank); }),
          helpers(options.helpers, options.size) {}

    [[nodiscard]] simulated_desk& of(int rank) noexcept { return desks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool is_gone(int rank) noexcept {
        return of(rank).is == standing::left || of(rank).is == standing::killed;
    }
    [[nodiscard]] bool is_alive(int rank) noexcept { return of(rank).is == standing::present; }
    /// Throws `error` (invalid_argument) for another number.
    void require_rank(const char* call, int rank) const {
        if (rank < 0 || rank >= options.size)
            reject(call, "rank " + std::to_string(rank) + " in a world of " + std::to_string(options.size));
    }

    /// A rank takes its place, once. It may have been killed before.
    void join(int rank) {
        require_rank("simulated", rank);
        if (std::exchange(of(rank).joined, true))
            reject("simulated", "rank " + std::to_string(rank) + " has been taken");
        if (of(rank).is == standing::absent) of(rank).is = standing::present;
    }
    /// A rank, all of whose channels are closed, goes.
    void leave(int rank) {
        if (!is_alive(rank)) return;
        of(rank).is = standing::left;
        notice n;
        n.kind = notice_kind::left;
        control.tell(rank, n);
        wake_who_lingers_for(rank);
    }
    void kill(int rank) {
        if (is_gone(rank)) return;
        of(rank).is = standing::killed;
        of(rank).to_send.clear();
        of(rank).due.clear();
        control.lose(rank, "it was killed");
        ring(rank);
        wake_who_lingers_for(rank);
    }

    [[nodiscard]] line_pointer connect(context k, int self, int peer) {
        auto& found = lines_[key(k, self, peer)];
        if (!found || found->closed[self < peer ? 0 : 1]) found = pools_.lines.take();
        return found;
    }
    /// One side of the line is closed.
    void disconnect(context k, int self, int peer, const line_pointer& used) {
        const auto found = lines_.find(key(k, self, peer));
        if (found != lines_.end() && found->second == used && (is_gone(peer) || used->closed[self < peer ? 1 : 0]))
            lines_.erase(found);
    }

    /// The rank that runs computes for so long. When it is done. Throws `error` (invalid_argument) for another time.
    [[nodiscard]] clock::time_point begin_computing(std::chrono::nanoseconds length) {
        require_program("simulated_world::compute");
        const auto rank = time.current();
        const auto left = time.end() - time.now();
        if (length < std::chrono::nanoseconds(0) || length > left)
            reject("simulated_world::compute", std::to_string(length.count()) + " ns of " +
                                                   std::to_string(left.count()) + " that are left in a hundred years");
        return messages.hardware.work(static_cast<int>(rank), time.now(), length);
    }

    /// Before note_rest() of some channels.
    void forget_what_is_taken(int rank) {
        std::erase_if(of(rank).to_take, [this](const simulated_rest& r) { return r.is_taken() || is_gone(r.peer); });
    }
    void note_rest(int rank, simulated_channel& c) {
        if (c.out().kept_messages > 0) of(rank).to_take.push_back({c.peer, c.side, c.line});
    }
    /// Until peers have received what a rank has sent, but for those that are gone; else until that time.
    std::vector<untaken> linger(int rank, clock::time_point until) {
        simulated_desk& d = of(rank);
        d.lingers = true;
        for (;;) {
            messages.complete_due(rank);
            forget_what_is_taken(rank);
            if (d.to_take.empty() || d.is != standing::present || time.now() >= until) break;
            wait(rank, std::min(until, later(time.now(), linger_interval)));
        }
        std::vector<untaken> found;
        for (const simulated_rest& r : d.to_take) found.push_back({r.peer, r.way().kept_bytes});
        return found;
    }

    /// Until something is due, or the rank is rung; else until that time, or some time before. It takes a while even
    /// when nothing is waited for, so that a program that looks again and again gets on. Throws `error`
    /// (invalid_argument) from elsewhere than the rank's own program, and at the end of the clock.
    void wait(int rank, clock::time_point until) {
        require_program("simulated");
        if (time.current() != static_cast<std::size_t>(rank))
            reject("simulated", "rank " + std::to_string(rank) + " waits outside of its program",
                   "let simulated_world::run() run it");
        if (time.now() == time.end()) reject("simulated", "the hundred years of the world are over");
        simulated_desk& d = of(rank);
        if (!d.rung && (d.is != standing::present || d.due.empty())) {
            if (d.is == standing::present && !d.lingers && control.has_mail(rank))
                until = time.now(); // the rank may leave it there
            d.until = std::clamp(until, later(time.now(), shortest_wait), later(time.now(), longest_wait));
            d.until = std::min(d.until, time.end());
            d.waits = true;
            if (d.until < d.timer) time.at(d.timer = d.until, [this, rank] { look(rank); });
            time.suspend();
        }
        d.rung = false;
    }
    void ring(int rank) {
        of(rank).rung = true;
        messages.wake(rank);
    }

    const simulated_options options;
    const clock::time_point begin;
    bool has_run = false;
    std::thread::id thread; ///< of run()

private:
    static constexpr clock::duration shortest_wait = std::chrono::microseconds{1};
    static constexpr clock::duration longest_wait = std::chrono::hours{1};
    static constexpr clock::duration linger_interval = std::chrono::seconds{1};
    using line_key = std::tuple<context, int, int>;

    [[nodiscard]] static line_key key(context k, int a, int b) { return {k, std::min(a, b), std::max(a, b)}; }

    void require_program(const char* call) const {
        if (std::this_thread::get_id() != thread || time.current() == scheduler::none)
            reject(call, "the caller is none of the ranks' programs", "let simulated_world::run() run them");
        if (helpers.is_working())
            reject(call, "work that compute() was given calls the library", "let the rank's program call it");
    }

    /// There is mail for it. False: it reads none any more.
    bool call(int rank) {
        if (is_gone(rank) || of(rank).lingers) return false;
        ring(rank);
        return true;
    }
    void wake_who_lingers_for(int rank) {
        for (int r = 0; r < options.size; ++r)
            if (of(r).lingers && std::ranges::any_of(of(r).to_take, [=](const auto& t) { return t.peer == rank; }))
                messages.wake(r);
    }
    void look(int rank) {
        simulated_desk& d = of(rank);
        if (d.timer > time.now()) return; // a later one has been asked for, or an earlier one came
        d.timer = clock::time_point::max();
        if (!d.waits) return;
        if (d.until <= time.now()) return messages.go_on(rank);
        time.at(d.timer = d.until, [this, rank] { look(rank); });
    }

    simulated_pools pools_;
    std::vector<simulated_desk> desks_;

public:
    scheduler time;
    simulated_messages messages;
    simulated_control control;
    simulated_helpers helpers;

private:
    std::map<line_key, line_pointer> lines_;
};

} // namespace tutti::transport::detail

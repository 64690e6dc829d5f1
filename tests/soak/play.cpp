// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "play.hpp"

#include "disturbances.hpp"
#include "held_up.hpp"
#include "job.hpp"

#include "support/child.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::soak {
namespace {

/// Reports the error that ends a rank's part in the plan.
void report_first(report& mine, const error& e, int family, moment called) {
    auto& f = mine.first;
    f.told = std::chrono::steady_clock::now();
    f.why = e.why();
    f.peer = e.facts().peer;
    f.step = mine.step.load(std::memory_order_relaxed);
    f.family = family;
    f.called = called;
    f.message = e.what();
    mine.failed.store(true, std::memory_order_release);
}

/// One rank's part in a plan.
class player {
public:
    using world = any_communicator;

    player(const plan& p, int rank, const reports& all, world w)
        : plan_(p), rank_(rank), mine_(all.of(rank)), families_(p.families.size()) {
        w.default_deadline(p.deadline);
        families_[0].emplace(std::move(w));
    }

    /// Until the end, the first error, or the moment to leave.
    void run() {
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            mine_.step.store(static_cast<int>(i), std::memory_order_release);
            look_at_scheduling();
            if (upset_here(fault_kind::leave)) return;
            disturb();
            const bool well = succeeds([&] { act(plan_.steps[i]); });
            look_at_scheduling();
            if (!well) return;
        }
        mine_.done.store(true, std::memory_order_release);
    }

    /// The plan has such a communicator, and it was made before the error.
    [[nodiscard]] bool has_others() const noexcept { return plan_.aftermath && families_[1]; }
    /// Those who are left go on in a communicator that is without the lost rank.
    void work_on_without_the_lost() {
        const world others = families_[1]->with_deadline(std::chrono::seconds(20));
        for (std::uint64_t i = 0; i < 3; ++i) {
            const call c{.family = 1, .what = operation::allreduce, .count = 3000};
            const auto j = job_of(others, c, i + (1U << 20));
            j->start();
            if (const auto flaw = j->flaw(); !flaw.empty()) mine_.aftermath = flaw;
        }
    }

private:
    void look_at_scheduling() {
        scheduling_.look();
        mine_.held_up_ms.store(static_cast<int>(scheduling_.longest().count()), std::memory_order_relaxed);
    }
    [[nodiscard]] int at_step() const noexcept { return mine_.step.load(std::memory_order_relaxed); }
    [[nodiscard]] bool upset_here(fault_kind what) const {
        return plan_.upset.what == what && plan_.upset.victim == rank_ && plan_.upset.step == at_step();
    }

    /// What this rank does to itself.
    void disturb() {
        const auto& f = plan_.upset;
        if (upset_here(fault_kind::delay_short) || upset_here(fault_kind::delay_long))
            std::this_thread::sleep_for(std::chrono::milliseconds(f.duration_ms));
        if (upset_here(fault_kind::refused)) refuse_connections();
        if (upset_here(fault_kind::shortage)) leave_descriptors(f.spare);
        const auto& s = plan_.steps[static_cast<std::size_t>(at_step())];
        if (!holds(s.jittering, rank_)) return;
        std::this_thread::sleep_for(std::chrono::microseconds(mixed(plan_.seed + static_cast<std::uint64_t>(rank_)) %
                                                              static_cast<std::uint64_t>(s.jitter_us + 1)));
    }

    /// False if it threw a tutti::error.
    template <class Work>
    [[nodiscard]] static bool succeeds(Work&& work) {
        try {
            work();
            return true;
        } catch (const error&) {
            return false;
        }
    }
    /// Reports the error that it throws, as of the call that `at_` tells, before anything else is undone.
    template <class Work>
    void watched(Work&& work) {
        try {
            work();
        } catch (const error& e) {
            report_first(mine_, e, at_.family, at_.called);
            throw;
        }
    }

    void act(const step& s) {
        if (s.what == action::calls) return make_calls(s);
        if (s.what == action::release) return families_[static_cast<std::size_t>(s.family)].reset();
        about_to_call(s.parent);
        const world& parent = *families_[static_cast<std::size_t>(s.parent)];
        auto& made = families_[static_cast<std::size_t>(s.family)];
        watched([&] {
            if (s.what == action::duplicate)
                made.emplace(parent.duplicate());
            else
                made.emplace(parent.split(color_of(s, parent), s.reversed ? -parent.rank() : parent.rank()));
        });
        returned();
        for (int r = 0; r < made->size(); ++r)
            if (made->world_rank(r) != plan_.members(s.family, rank_).at(static_cast<std::size_t>(r)))
                note_wrong("the new communicator has other members");
    }
    [[nodiscard]] int color_of(const step& s, const world& parent) const {
        if (s.colors == 0) return rank_ == plan_.upset.victim;
        return parent.rank() / s.by % s.colors;
    }

    void about_to_call(int family) { at_ = {family, std::chrono::steady_clock::now()}; }
    void returned() { mine_.calls.fetch_add(1, std::memory_order_release); }
    void note_wrong(const std::string& what) {
        if (mine_.wrong++ == 0) mine_.first_wrong = "step " + std::to_string(at_step()) + ": " + what;
    }

    [[nodiscard]] std::unique_ptr<job> job_of(const world& on, const call& c, std::uint64_t number) const {
        std::unique_ptr<job> made;
        with_flavour(c.of, [&]<class Elements>(Elements) {
            made = std::make_unique<typed_job<Elements>>(on, c, number, plan_.members(c.family, rank_));
        });
        return made;
    }

    /// A call under way, and when it began.
    struct pending {
        const call* what;
        moment began;
        job* work;
    };

    void make_calls(const step& s) {
        std::vector<std::unique_ptr<job>> jobs;
        std::vector<request<transport::any>> requests; // goes before the jobs, whose buffers it uses
        std::vector<pending> waiting;
        for (std::size_t i = 0; i < s.calls.size(); ++i) {
            const call& c = upset_here(fault_kind::mismatch) && i == 0 ? plan_.upset.odd : s.calls[i];
            const auto number = static_cast<std::uint64_t>(at_step()) * 64 + i;
            jobs.push_back(job_of(*families_[static_cast<std::size_t>(c.family)], c, number));
            about_to_call(c.family);
            watched([&] { start(c, *jobs.back(), requests, waiting); });
        }
        if (holds(s.forking, rank_)) fork_a_child(requests);
        watched([&] { collect(s, requests, waiting); });
    }
    /// The child tries to call, and drops what it has of the world. It is refused, and its parent's calls go on.
    void fork_a_child(std::vector<request<transport::any>>& requests) {
        const auto ended = test::in_child([&] {
            const bool one = is_refused([&] { families_[0]->barrier(); });
            const bool all = std::all_of(requests.begin(), requests.end(),
                                         [](auto& r) { return r.collected() || is_refused([&] { r.wait(); }); });
            requests.clear();
            families_.clear();
            return one && all;
        });
        if (!ended.empty()) note_wrong("a forked child was let into a call, or did not end well: " + ended);
    }
    template <class Call>
    [[nodiscard]] static bool is_refused(const Call& call) {
        try {
            call();
        } catch (const error& e) {
            return e.why() == cause::invalid_argument;
        }
        return false;
    }
    void start(const call& c, job& work, std::vector<request<transport::any>>& requests,
               std::vector<pending>& waiting) {
        const bool again = c.how == mode::prepared && c.repeats > 1;
        for (int k = 0; k < (again ? c.repeats : 1); ++k) {
            auto started = work.start();
            if (started) {
                requests.push_back(std::move(*started));
                waiting.push_back({&c, at_.called, &work});
            } else {
                finish(c, work);
            }
        }
    }
    void finish(const call& c, const job& work) {
        returned();
        if (upset_here(fault_kind::mismatch)) return; // what the odd one gets is nobody's promise
        if (const auto flaw = work.flaw(); !flaw.empty()) note_wrong(in_words(c) + ": " + flaw);
    }

    void collect(const step& s, std::vector<request<transport::any>>& requests, const std::vector<pending>& waiting) {
        if (requests.empty()) return;
        at_ = {waiting.front().what->family, waiting.front().began};
        bool one_family = true;
        for (const auto& w : waiting) one_family = one_family && w.what->family == at_.family;
        // Of several communicators the error does not tell which one threw it.
        if (one_family && s.collect == collecting::wait_all) {
            wait_all(requests);
        } else if (one_family && s.collect == collecting::wait_any) {
            while (wait_any(requests) < requests.size()) {
            }
        } else {
            one_by_one(s, requests, waiting);
        }
        for (const auto& w : waiting) finish(*w.what, *w.work);
    }
    /// As an event loop of a program's does.
    void step_until_over(const request<transport::any>& r, const world& on) const {
        const bool has_descriptor = plan_.over != fabric::memory && plan_.upset.what != fault_kind::shortage;
        const int descriptor = has_descriptor ? on.descriptor() : -1;
        while (!r.is_over()) {
            while (on.step()) {
            }
            if (r.is_over()) break;
            if (descriptor < 0) {
                std::this_thread::yield();
                continue;
            }
            const auto left = on.next_deadline() - transport::clock::now();
            const auto most = std::chrono::ceil<std::chrono::milliseconds>(
                std::min<std::chrono::nanoseconds>(left, std::chrono::seconds(1)));
            pollfd waits{descriptor, POLLIN, 0};
            ::poll(&waits, 1, std::max(0, static_cast<int>(most.count())));
        }
    }
    /// In an order that differs between ranks.
    void one_by_one(const step& s, std::vector<request<transport::any>>& requests,
                    const std::vector<pending>& waiting) {
        const auto several = requests.size();
        for (std::size_t k = 0; k < several; ++k) {
            const auto i = (k + static_cast<std::size_t>(rank_)) % several;
            at_ = {waiting[i].what->family, waiting[i].began};
            if (s.collect == collecting::by_loop)
                step_until_over(requests[i], *families_[static_cast<std::size_t>(at_.family)]);
            if (s.collect == collecting::by_test)
                while (!requests[i].test()) std::this_thread::yield();
            else
                requests[i].wait();
        }
    }

    const plan& plan_;
    int rank_;
    report& mine_;
    std::vector<std::optional<world>> families_;
    scheduling_watch scheduling_;
    struct {
        int family = 0;
        moment called{};
    } at_;
};

} // namespace

void play(const plan& p, int rank, const reports& all, const std::function<any_communicator()>& enter) {
    auto& mine = all.of(rank);
    const descriptor_limit limit; // as it was, when all is over
    try {
        if (p.upset.what == fault_kind::late_start && p.upset.victim == rank)
            std::this_thread::sleep_for(std::chrono::milliseconds(p.upset.duration_ms));
        const auto began = std::chrono::steady_clock::now();
        const auto watched_enter = [&] {
            try {
                return enter();
            } catch (const error& e) {
                report_first(mine, e, 0, began);
                throw;
            }
        };
        for (int turn = 1; turn < p.in_turn && !mine.failed; ++turn) player(p, rank, all, watched_enter()).run();
        if (!mine.failed) {
            player me(p, rank, all, watched_enter());
            me.run();
            if (mine.failed && !p.leaves_at_once) await_the_others(p, all);
            if (mine.failed && p.ends_abruptly) {
                announce_end(mine);
                mine.left = std::chrono::steady_clock::now();
                mine.outside.store(true, std::memory_order_release);
                ::_exit(0);
            }
            // Who was done before the loss works on as well: the others count on it.
            if (rank != p.upset.victim && me.has_others()) me.work_on_without_the_lost();
            announce_end(mine);
        } else {
            announce_end(mine);
        }
    } catch (const error& e) {
        if (mine.step.load() >= 0) (mine.failed ? mine.aftermath : mine.surprise) = e.what();
        announce_end(mine);
    } catch (const std::exception& e) {
        mine.surprise = e.what();
        announce_end(mine);
    }
    mine.left = std::chrono::steady_clock::now();
    mine.outside.store(true, std::memory_order_release);
}

} // namespace tutti::soak

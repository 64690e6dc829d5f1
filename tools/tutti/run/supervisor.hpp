// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "crew.hpp"
#include "ending.hpp"
#include "launch.hpp"
#include "signals.hpp"
#include "told_output.hpp"

#include <transport/sockets/wait_ready.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

namespace tutti::tools {

/// Runs a launch to its end: copies output, passes signals on, keeps the deadline, judges who failed first, and ends
/// the others. One thread; wait_ready() is the only wait.
template <crew Crew>
class supervisor {
public:
    /// All references must outlive it.
    supervisor(const launch_options& options, const signal_source& signals, told_output& told, Crew& ranks)
        : options_(options), signals_(signals), told_(told), crew_(ranks) {}

    launch_result run() {
        crew_.start();
        if (options_.limit.count() > 0) limit_ = started_ + options_.limit;
        while (busy()) {
            look();
            hear();
            crew_.act(clock::now());
            note();
            if (clock::now() >= told_.due() || crew_.silent()) told_.release();
            if (busy()) act(clock::now());
        }
        if (told_.found()) conclude(1, "ranks called different things at the end, as one of them says above");
        return result_;
    }

private:
    using clock = supervision_clock;

    [[nodiscard]] bool busy() const { return crew_.running() > 0 || crew_.unfinished() || !told_.empty(); }

    // One round of waiting and copying output. Signals and deadlines are heard also while nobody takes the output.
    void look() {
        waiting_.assign(1, {signals_.get(), POLLIN, 0});
        told_.wait_for(waiting_);
        const std::size_t first = waiting_.size();
        crew_.wait_for(waiting_);
        transport::bootstrap::wait_ready(waiting_, crew_.hasty() ? clock::time_point{} : due());
        told_.flush();
        crew_.serve(std::span(waiting_).subspan(first));
        if (const int number = told_.take_error()) lose_output(number);
    }

    void hear() {
        while (const int number = signals_.next()) {
            if (number == SIGCHLD) {
                crew_.reap();
            } else {
                forward(number);
            }
        }
    }

    [[nodiscard]] clock::time_point due() const {
        return std::min({limit_, judge_at_, terminate_at_, kill_at_, drop_at_, told_.due(), crew_.due()});
    }

    void act(clock::time_point now) {
        if (now >= judge_at_) judge_all();
        if (now >= limit_) {
            limit_ = never;
            judge_all();
            conclude(124, fmt::format("not done after {:.1f} s", seconds_since_start()));
            end_all(now);
        }
        if (now >= terminate_at_) {
            terminate_at_ = never;
            terminated_ = true;
            crew_.signal(SIGTERM);
            kill_at_ = std::min(kill_at_, now + options_.grace);
        }
        if (now >= kill_at_) {
            kill_at_ = never;
            crew_.signal(SIGKILL);
        }
        const bool only_output_waits = leaving_ && (crew_.running() == 0 || crew_.held_up());
        drop_at_ = only_output_waits ? std::min(drop_at_, now + last_words) : never;
        if (now >= drop_at_) {
            drop_at_ = never;
            conclude(1, "nobody took the rest of the output");
            told_.drop();
        }
    }

    void end_all(clock::time_point now) {
        terminate_at_ = now;
        leaving_ = true;
    }

    // The ranks are ended: what they still do, nobody can see.
    void lose_output(int number) {
        judge_all();
        if (number == EPIPE) {
            conclude(128 + SIGPIPE, "nobody reads the output any more");
        } else {
            conclude(1, fmt::format("cannot write the output: {}", std::strerror(number)));
        }
        end_all(clock::now());
    }

    // What happened first counts.
    void conclude(int status, std::string report) {
        if (result_.status != 0) return;
        result_.status = status;
        result_.report = std::move(report);
    }

    void forward(int number) {
        judge_all();
        if (!terminated_) result_.forwarded = number;
        terminated_ = true;
        crew_.signal(number);
        kill_at_ = std::min(kill_at_, clock::now() + options_.grace);
        leaving_ = true;
    }

    // Takes what the crew tells of its ranks.
    void note() {
        if (launch_failure f = crew_.take_failure(); f.status != 0) {
            conclude(f.status, std::move(f.report));
            terminate_at_ = std::min(terminate_at_, clock::now());
        }
        for (ending& e : crew_.take_endings()) {
            e.after_s = seconds_since_start();
            ended_.push_back(std::move(e));
        }
        if (ended_.empty()) return;
        if (options_.last_rank >= 0 && crew_.running() == 1)
            terminate_at_ = std::min(terminate_at_, clock::now() + options_.last_patience);
        const bool all_is_told = crew_.running() == 0 && !crew_.unfinished();
        if (all_is_told || std::any_of(ended_.begin(), ended_.end(), [](const auto& e) { return e.causal(); }))
            judge_all();
        else
            judge_at_ = std::min(judge_at_, clock::now() + Crew::settling);
    }

    // The kernel does not say in which order processes ended, and closes the connections of one that was killed before
    // it tells of the death: a rank that has noticed may be gone first. So exits are judged after a moment. A death by
    // a signal is taken for their cause, else one whose rank the errors of others name.
    void judge_all() {
        judge_at_ = never;
        const auto named = [this](const ending& e) {
            return std::any_of(ended_.begin(), ended_.end(),
                               [&](const ending& other) { return told_.named_by(other.rank) == e.rank; });
        };
        const auto rest = std::stable_partition(ended_.begin(), ended_.end(), [](const auto& e) { return e.causal(); });
        std::stable_partition(rest, ended_.end(), named);
        for (const ending& e : ended_) judge(e);
        ended_.clear();
    }

    void judge(const ending& e) {
        if (e.rank == options_.last_rank && e.how == ending::way::exited) // a crash says nothing of the others
            terminate_at_ = std::min(terminate_at_, clock::now() + options_.last_patience);
        if (e.well()) return;
        if (options_.on_failure) options_.on_failure(e.rank);
        if (e.rank == accused_ && !terminated_) result_ = {}; // it has failed first, and ends later
        if (result_.status != 0) return;
        accused_ = told_.named_by(e.rank);
        result_.first = e.rank;
        conclude(e.status(), accused_ < 0 ? e.text() : fmt::format("{}; its error names rank {}", e.text(), accused_));
        terminate_at_ = std::min(terminate_at_, clock::now() + options_.patience);
    }

    [[nodiscard]] double seconds_since_start() const {
        return std::chrono::duration<double>(clock::now() - started_).count();
    }

    static constexpr clock::time_point never = clock::time_point::max();
    static constexpr std::chrono::seconds last_words{1}; // for a reader to take the rest, once all is to end

    const launch_options& options_;
    const signal_source& signals_;
    told_output& told_;
    Crew& crew_;
    clock::time_point started_ = clock::now();
    clock::time_point limit_ = never;
    clock::time_point judge_at_ = never;
    clock::time_point terminate_at_ = never;
    clock::time_point kill_at_ = never;
    clock::time_point drop_at_ = never;
    int accused_ = -1;        // the rank that the error of result_.first names
    bool terminated_ = false; // ranks were sent a signal: that they end says nothing any more
    bool leaving_ = false;    // a signal, the limit or lost output: a reader who stalls is not waited for
    std::vector<pollfd> waiting_;
    std::vector<ending> ended_; // and not judged yet
    launch_result result_;
};

} // namespace tutti::tools

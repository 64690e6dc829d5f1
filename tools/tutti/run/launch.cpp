// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "launch.hpp"

#include "loopback.hpp"
#include "signals.hpp"
#include "spawn.hpp"
#include "stream.hpp"

#include <transport/bootstrap/coordinator.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

namespace tutti::tools {
namespace {

using clock = std::chrono::steady_clock;

struct member {
    pid_t pid;
    stream output;
    stream error;
    bool running = true;
};

/// How a rank ended, and when.
struct ending {
    int rank;
    siginfo_t how;
    double after_s;
};

std::string describe(const ending& e) {
    const int status = e.how.si_status;
    if (e.how.si_code == CLD_EXITED)
        return fmt::format("rank {} exited with status {} after {:.1f} s", e.rank, status, e.after_s);
    const char* name = sigabbrev_np(status);
    return fmt::format("rank {} was ended by signal {} ({}{}) after {:.1f} s", e.rank, status, name ? "SIG" : "",
                       name ? name : "unknown", e.after_s);
}

/// The processes of one launch. Whatever happens, none is left when it ends.
class group {
public:
    explicit group(const launch_options& options)
        : options_(options),
          meeting_(options.address.empty() ? std::optional<loopback_port>{std::in_place} : std::nullopt),
          output_(options.output), own_error_(options.error),
          error_(own_error_.same_file(output_) ? output_ : own_error_), alike_(options.ranks) {}
    group(const group&) = delete;
    ~group() {
        signal_all(SIGKILL);
        for (member& m : members_)
            if (m.running) waitpid(m.pid, nullptr, 0);
    }

    launch_result run() {
        const std::string secret = random_secret();
        for (int rank = 0; rank < options_.ranks; ++rank) start(rank, secret);
        if (options_.limit.count() > 0) limit_ = started_ + options_.limit;
        while (running_ > 0 || unwritten()) {
            look();
            hear();
            if (clock::now() >= alike_.due() || nobody_speaks()) error_.add(alike_.release());
            if (running_ > 0 || unwritten()) act(clock::now());
        }
        if (std::any_of(members_.begin(), members_.end(), [](const member& m) { return m.error.found(); }))
            conclude(1, "ranks called different things at the end, as one of them says above");
        return result_;
    }

private:
    void start(int rank, const std::string& secret) {
        spawn_options what;
        what.command = options_.command;
        what.inherited = options_.inherited;
        what.piped = rank != options_.plain_rank;
        what.environment = {{"TUTTI_RANK", std::to_string(rank)},
                            {"TUTTI_SIZE", std::to_string(options_.ranks)},
                            {"TUTTI_ADDRESS", meeting_ ? meeting_->address() : options_.address},
                            {"TUTTI_SECRET", secret},
                            {"TUTTI_SECRET_FILE", ""}};
        if (!options_.hosts.empty())
            what.environment.emplace_back("TUTTI_HOST",
                                          fmt::format("host-{}", options_.hosts[static_cast<std::size_t>(rank)]));
        what.environment.insert(what.environment.end(), options_.environment.begin(), options_.environment.end());
        child made = spawn(what);
        members_.push_back(
            {made.pid, stream{std::move(made.output), output_, rank},
             stream{std::move(made.error), error_, rank, &alike_, transport::bootstrap::mismatch_at_the_end}});
        ++running_;
    }

    // One round of waiting and copying output. A stream waits while what it gave before cannot be written: so its rank
    // feels that nobody reads, and signals and deadlines are heard all the same.
    void look() {
        std::vector<pollfd> waiting{{signals_.get(), POLLIN, 0}};
        for (const outlet* o : {&output_, &own_error_}) waiting.push_back({o->empty() ? -1 : o->get(), POLLOUT, 0});
        const std::size_t first = waiting.size();
        std::vector<stream*> streams;
        for (member& m : members_)
            for (stream* s : {&m.output, &m.error})
                if (s->ready()) {
                    waiting.push_back({s->get(), POLLIN, 0});
                    streams.push_back(s);
                }
        const bool at_once = std::any_of(streams.begin(), streams.end(), [](const stream* s) { return s->ended(); });
        poll(waiting.data(), waiting.size(), at_once ? 0 : milliseconds_left());
        for (outlet* o : {&output_, &own_error_}) o->flush();
        for (std::size_t i = 0; i < streams.size(); ++i)
            if (waiting[first + i].revents != 0 || streams[i]->ended()) streams[i]->copy();
        for (outlet* o : {&output_, &own_error_})
            if (const int number = o->take_error()) lose_output(number);
    }

    void hear() {
        while (const int number = signals_.next()) {
            if (number == SIGCHLD) {
                reap();
            } else {
                forward(number);
            }
        }
    }

    [[nodiscard]] int milliseconds_left() const {
        const clock::time_point next = std::min({limit_, judge_at_, terminate_at_, kill_at_, drop_at_, alike_.due()});
        if (next == never) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now());
        return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
    }

    void act(clock::time_point now) {
        if (now >= judge_at_) judge_all();
        if (now >= limit_) {
            limit_ = never;
            judge_all();
            conclude(124, fmt::format("not done after {:.1f} s", seconds_since_start()));
            terminate_at_ = now;
            leaving_ = true;
        }
        if (now >= terminate_at_) {
            terminate_at_ = never;
            signal_all(SIGTERM);
            kill_at_ = std::min(kill_at_, now + options_.grace);
        }
        if (now >= kill_at_) {
            kill_at_ = never;
            signal_all(SIGKILL);
        }
        if (leaving_ && running_ == 0) drop_at_ = std::min(drop_at_, now + last_words);
        if (now >= drop_at_) {
            drop_at_ = never;
            conclude(1, "nobody took the rest of the output");
            for (outlet* o : {&output_, &own_error_}) o->drop();
        }
    }

    // The ranks are ended: what they still do, nobody can see.
    void lose_output(int number) {
        judge_all();
        if (number == EPIPE) {
            conclude(128 + SIGPIPE, "nobody reads the output any more");
        } else {
            conclude(1, fmt::format("cannot write the output: {}", std::strerror(number)));
        }
        terminate_at_ = clock::now();
        leaving_ = true;
    }

    // What happened first counts.
    void conclude(int status, std::string report) {
        if (result_.status != 0) return;
        result_.status = status;
        result_.report = std::move(report);
    }

    [[nodiscard]] bool unwritten() const {
        return !output_.empty() || !own_error_.empty() || !alike_.empty() ||
               std::any_of(members_.begin(), members_.end(), [](const auto& m) {
                   return (m.output.open() && m.output.ended()) || (m.error.open() && m.error.ended());
               });
    }

    [[nodiscard]] bool nobody_speaks() const {
        return std::none_of(members_.begin(), members_.end(), [](const auto& m) { return m.error.open(); });
    }

    void forward(int number) {
        judge_all();
        signal_all(number);
        kill_at_ = std::min(kill_at_, clock::now() + options_.grace);
        leaving_ = true;
    }

    void signal_all(int number) {
        for (member& m : members_)
            if (m.running) kill(-m.pid, number);
    }

    void reap() {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            siginfo_t how{};
            const auto id = static_cast<id_t>(members_[i].pid);
            if (!members_[i].running || waitid(P_PID, id, &how, WEXITED | WNOHANG | WNOWAIT) != 0 || how.si_pid == 0)
                continue;
            ended_.push_back({static_cast<int>(i), how, seconds_since_start()});
            retire(members_[i]);
        }
        if (ended_.empty()) return;
        if (running_ == 0 || std::any_of(ended_.begin(), ended_.end(), was_killed)) {
            judge_all();
        } else {
            judge_at_ = std::min(judge_at_, clock::now() + settling);
        }
    }

    // The kernel does not say in which order processes ended, and closes the connections of one that was killed before
    // it tells of the death: a rank that has noticed may be gone first. So exits are judged after a moment, and a death
    // by a signal is taken for their cause.
    void judge_all() {
        judge_at_ = never;
        std::stable_partition(ended_.begin(), ended_.end(), was_killed);
        for (const ending& e : ended_) judge(e);
        ended_.clear();
    }

    // SIGABRT is how an error ends that nobody catches: rather a consequence.
    static bool was_killed(const ending& e) { return e.how.si_code != CLD_EXITED && e.how.si_status != SIGABRT; }

    // The group is ended before its leader is reaped: until then its number cannot belong to anybody else.
    void retire(member& m) {
        kill(-m.pid, SIGKILL);
        waitpid(m.pid, nullptr, 0);
        m.running = false;
        --running_;
        m.output.end();
        m.error.end();
    }

    void judge(const ending& e) {
        if (e.how.si_code == CLD_EXITED && e.how.si_status == 0) return;
        if (options_.on_failure) options_.on_failure(e.rank);
        if (result_.status != 0) return;
        result_.first = e.rank;
        conclude(e.how.si_code == CLD_EXITED ? e.how.si_status : 128 + e.how.si_status, describe(e));
        terminate_at_ = std::min(terminate_at_, clock::now() + options_.patience);
    }

    [[nodiscard]] double seconds_since_start() const {
        return std::chrono::duration<double>(clock::now() - started_).count();
    }

    static constexpr clock::time_point never = clock::time_point::max();
    static constexpr std::chrono::milliseconds settling{200}; // from an exit until it is judged
    static constexpr std::chrono::seconds last_words{1};      // for a reader to take the rest, once all is to end

    const launch_options& options_;
    signal_source signals_;
    std::optional<loopback_port> meeting_;
    outlet output_;
    outlet own_error_;
    outlet& error_; // one outlet for both where they are one file: no line comes into the middle of another
    unison alike_;  // of standard error: an error that ends all ranks is told once
    clock::time_point started_ = clock::now();
    clock::time_point limit_ = never;
    clock::time_point judge_at_ = never;
    clock::time_point terminate_at_ = never;
    clock::time_point kill_at_ = never;
    clock::time_point drop_at_ = never;
    bool leaving_ = false; // a signal, the limit or lost output: a reader who stalls is not waited for
    std::vector<member> members_;
    int running_ = 0;
    std::vector<ending> ended_; // and not judged yet
    launch_result result_;
};

} // namespace

launch_result launch(const launch_options& options) { return group{options}.run(); }

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "local_crew.hpp"

#include "spawn.hpp"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

namespace tutti::tools {

local_crew::local_crew(const launch_options& options, std::vector<int> ranks, meeting_point where, rank_output& to)
    : options_(options), ranks_(std::move(ranks)), where_(std::move(where)), to_(to) {}

local_crew::~local_crew() {
    if (running_ > 0) signal(SIGKILL);
    for (member& m : members_)
        if (m.running) waitpid(m.pid, nullptr, 0);
    if (thorough_) below_.end();
}

void local_crew::start() {
    make_room_for(2 * ranks_.size(), fmt::format("a launcher of {} ranks", ranks_.size()));
    members_.reserve(ranks_.size()); // pointers to their streams are kept
    const std::vector<int> processors = options_.bind.processors_for(static_cast<int>(ranks_.size()));
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
        std::optional<bound_thread> inherited; // by the rank
        if (!processors.empty()) inherited.emplace(processor_set{processors[i]});
        start(ranks_[i]);
    }
}

void local_crew::start(int rank) {
    spawn_options what;
    what.command = options_.command;
    what.program = options_.program;
    what.inherited = options_.inherited;
    what.piped = rank != options_.plain_rank;
    what.environment = {{"TUTTI_RANK", std::to_string(rank)},
                        {"TUTTI_SIZE", std::to_string(options_.ranks)},
                        {"TUTTI_ADDRESS", where_.address},
                        {"TUTTI_SECRET", where_.secret},
                        {"TUTTI_SECRET_FILE", ""},
                        {"TUTTI_PLAIN_RANK", options_.program.empty() ? "" : std::to_string(options_.plain_rank)}};
    if (!options_.pretended.empty())
        what.environment.emplace_back("TUTTI_HOST",
                                      fmt::format("host-{}", options_.pretended[static_cast<std::size_t>(rank)]));
    what.environment.insert(what.environment.end(), options_.environment.begin(), options_.environment.end());
    child made = spawn(what);
    members_.push_back({rank, made.pid, stream{std::move(made.output), rank, channel::output, to_},
                        stream{std::move(made.error), rank, channel::error, to_}});
    ++running_;
}

bool local_crew::unfinished() const noexcept {
    return std::any_of(members_.begin(), members_.end(), [](const auto& m) {
        return (m.output.open() && m.output.ended()) || (m.error.open() && m.error.ended());
    });
}

bool local_crew::silent() const noexcept {
    return std::none_of(members_.begin(), members_.end(), [](const auto& m) { return m.error.open(); });
}

// A stream waits while what it gave before cannot be written.
void local_crew::wait_for(std::vector<pollfd>& waiting) {
    served_.clear();
    for (member& m : members_)
        for (stream* s : {&m.output, &m.error})
            if (s->ready()) {
                waiting.push_back({s->get(), POLLIN, 0});
                served_.push_back(s);
            }
}

bool local_crew::hasty() const noexcept {
    return std::any_of(served_.begin(), served_.end(), [](const stream* s) { return s->ended(); });
}

void local_crew::serve(std::span<const pollfd> ready) {
    for (std::size_t i = 0; i < served_.size(); ++i)
        if (ready[i].revents != 0 || served_[i]->ended()) served_[i]->copy();
}

void local_crew::signal(int number) {
    thorough_ = true;
    for (member& m : members_)
        if (m.running) kill(-m.pid, number);
}

void local_crew::reap() {
    for (siginfo_t how{}; waitid(P_ALL, 0, &how, WEXITED | WNOHANG | WNOWAIT) == 0 && how.si_pid != 0; how = {}) {
        const auto m = std::find_if(members_.begin(), members_.end(),
                                    [&](const member& one) { return one.running && one.pid == how.si_pid; });
        if (m == members_.end()) { // an orphan, see descendants.hpp
            waitpid(how.si_pid, nullptr, 0);
            continue;
        }
        const auto way = how.si_code == CLD_EXITED ? ending::way::exited : ending::way::signalled;
        ended_.push_back({m->rank, way, how.si_status, {}, 0});
        if (!ended_.back().well()) thorough_ = true;
        retire(*m);
    }
}

// The group is ended before its leader is reaped: until then its number cannot belong to anybody else.
void local_crew::retire(member& m) {
    kill(-m.pid, SIGKILL);
    waitpid(m.pid, nullptr, 0);
    m.running = false;
    --running_;
    m.output.end();
    m.error.end();
}

std::vector<ending> local_crew::take_endings() { return std::exchange(ended_, {}); }

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "remote_crew.hpp"

#include <transport/sockets/secret.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr std::chrono::milliseconds last_words_wait{500}; // for a process to exit whose output has ended
constexpr std::chrono::seconds kill_wait{2};              // from SIGKILL until a host that tells of no end is given up

bool says_loopback(const std::string& host) {
    return transport::bootstrap::endpoint{without_user(host), 0}.says_loopback();
}

} // namespace

remote_crew::remote_crew(const launch_options& options, const host_options& where, told_output& to)
    : options_(options), where_(where), to_(to), ranks_(static_cast<std::size_t>(options.ranks)),
      running_(options.ranks) {}

// The agents get a moment to end their ranks, and the connections to close.
remote_crew::~remote_crew() {
    for (host& h : hosts_) h.line.close_input();
    for (const int number : {SIGTERM, SIGKILL, 0}) {
        for (int i = 0; i < 200; ++i) {
            for (host& h : hosts_) h.line.reap();
            if (std::all_of(hosts_.begin(), hosts_.end(), [](const host& h) { return h.line.exited(); })) return;
            const timespec pause{0, 5'000'000};
            nanosleep(&pause, nullptr);
        }
        for (host& h : hosts_)
            if (number != 0) h.line.signal(number);
    }
}

void remote_crew::start() {
    const auto count = static_cast<int>(where_.where.hosts.size());
    make_room_for(3 * where_.where.hosts.size(), fmt::format("a launcher of {} hosts", count));
    hosts_.reserve(static_cast<std::size_t>(count)); // pointers to them are kept
    for (int i = 0; i < count; ++i) {
        const std::string& name = where_.where.hosts[static_cast<std::size_t>(i)];
        hosts_.push_back({without_user(name), where_.where.ranks_of(i),
                          agent_connection::to(name, where_.launch_agent, where_.tutti)});
    }
    reach_until_ = clock::now() + where_.reach;
}

bool remote_crew::unfinished() const noexcept {
    return ordered_ && std::any_of(hosts_.begin(), hosts_.end(), [](const host& h) { return h.open(); });
}

bool remote_crew::silent() const noexcept {
    return std::none_of(ranks_.begin(), ranks_.end(), [](const rank_state& r) { return r.error_open; });
}

bool remote_crew::listens() const { return to_.ready(channel::output) && to_.ready(channel::error); }
bool remote_crew::held_up() const noexcept { return ordered_ && !listens(); }

void remote_crew::wait_for(std::vector<pollfd>& waiting) {
    served_.clear();
    for (host& h : hosts_) {
        if (!h.open()) continue;
        h.line.wait_for(waiting, listens());
        served_.push_back(&h);
    }
}

bool remote_crew::hasty() const noexcept {
    return listens() && std::any_of(served_.begin(), served_.end(), [](const host* h) { return h->line.hasty(); });
}

void remote_crew::serve(std::span<const pollfd> ready) {
    for (std::size_t i = 0; i < served_.size(); ++i) {
        served_[i]->line.serve(ready.subspan(i * agent_connection::entries, agent_connection::entries));
        hear(*served_[i]);
    }
}

void remote_crew::hear(host& h) {
    try {
        while (const auto f = h.line.next()) obey(h, *f);
        if (h.line.broken()) throw std::invalid_argument("no frame begins so");
    } catch (const std::invalid_argument& e) {
        return lose(h, fmt::format("what comes from it is not what an agent of this tutti says: {}", e.what()));
    }
    if (h.line.greeted()) // what was said before belongs to the report if it never answers
        for (const std::string& line : h.line.take_lines()) to_.say(fmt::format("[{}] {}\n", h.name, line));
    if (h.open() && h.line.ended() && h.given_up == never) h.given_up = clock::now() + last_words_wait;
}

void remote_crew::obey(host& h, const agent_frame& f) {
    if (f.what == agent_frame::kind::hello && h.at == stage::calling) {
        h.hello = agent_hello::unpacked(f.text);
        h.at = stage::ready;
    } else if (h.at != stage::running) {
        throw std::invalid_argument("it speaks before it was asked");
    } else if (f.what == agent_frame::kind::unable) {
        if (f.rank < 1 || f.rank > 255) throw std::invalid_argument("it cannot start its ranks, and tells no status");
        fail(f.rank, fmt::format("host {}: {}", h.name, f.text));
        close(h, stage::done);
    } else if (f.what == agent_frame::kind::done) {
        close(h, stage::done);
    } else if (std::find(h.ranks.begin(), h.ranks.end(), f.rank) != h.ranks.end()) {
        obey_of_rank(h, f);
    } else {
        throw std::invalid_argument("it speaks of a rank that it has not");
    }
}

void remote_crew::obey_of_rank(host& h, const agent_frame& f) {
    using kind = agent_frame::kind;
    rank_state& r = state_of(f.rank);
    if (f.what == kind::output || f.what == kind::error) {
        to_.take(f.rank, f.what == kind::output ? channel::output : channel::error, f.text);
    } else if (f.what == kind::finished_output && std::exchange(r.output_open, false)) {
        to_.finish(f.rank, channel::output);
    } else if (f.what == kind::finished_error && std::exchange(r.error_open, false)) {
        to_.finish(f.rank, channel::error);
    } else if ((f.what == kind::exited || f.what == kind::signalled) && r.running) {
        const auto way = f.what == kind::exited ? ending::way::exited : ending::way::signalled;
        ended_.push_back({f.rank, way, unpacked_number(f.text, 255), h.name, 0});
        retire(f.rank);
    }
}

void remote_crew::retire(int rank) {
    if (std::exchange(state_of(rank).running, false)) --running_;
}

// Nothing more comes from there.
void remote_crew::close(host& h, stage last) {
    h.at = last;
    h.line.close_input();
    for (const int rank : h.ranks) {
        retire(rank);
        if (std::exchange(state_of(rank).output_open, false)) to_.finish(rank, channel::output);
        if (std::exchange(state_of(rank).error_open, false)) to_.finish(rank, channel::error);
    }
}

void remote_crew::lose(host& h, std::string fault) {
    h.fault = std::move(fault);
    if (ordered_)
        for (const int rank : h.ranks)
            if (state_of(rank).running)
                ended_.push_back({rank, ending::way::lost, 0, fmt::format("host {}: {}", h.name, h.fault), 0});
    if (ordered_)
        close(h, stage::gone);
    else
        h.at = stage::gone;
    h.line.signal(SIGTERM);
}

bool remote_crew::decided() const noexcept {
    return std::none_of(hosts_.begin(), hosts_.end(), [](const host& h) { return h.at == stage::calling; });
}

void remote_crew::reap() {
    for (host& h : hosts_) h.line.reap();
}

supervision_clock::time_point remote_crew::due() const noexcept {
    clock::time_point next = std::min(ordered_ ? never : reach_until_, abandon_at_);
    for (const host& h : hosts_)
        if (h.open()) next = std::min(next, h.given_up);
    return next;
}

void remote_crew::act(clock::time_point now) {
    for (host& h : hosts_)
        if (h.open() && h.line.ended() && (h.line.exited() || now >= h.given_up)) lose(h, h.line.last_words());
    if (!ordered_ && failure_.status == 0 && running_ > 0) {
        for (host& h : hosts_)
            if (h.at == stage::calling && now >= reach_until_)
                lose(h, fmt::format("no answer within {:.3g} s", std::chrono::duration<double>(where_.reach).count()));
        if (decided()) {
            if (std::all_of(hosts_.begin(), hosts_.end(), [](const host& h) { return h.at == stage::ready; }))
                order();
            else
                refuse();
        }
    }
    if (now >= abandon_at_) abandon();
}

// Where the ranks meet: at the host of rank 0, by the name under which it was named here, unless that means another
// host elsewhere; at a port that it has found free.
std::string remote_crew::address() const {
    const host& first = hosts_.front();
    if (!options_.address.empty() && !where_.any_port) return options_.address;
    std::string name = options_.address.empty() ? first.name : options_.address;
    const bool all_here =
        std::all_of(hosts_.begin(), hosts_.end(), [](const host& h) { return says_loopback(h.name); });
    if (options_.address.empty() && says_loopback(name) && !all_here) name = first.hello.host;
    return transport::bootstrap::endpoint{name, first.hello.port}.text();
}

void remote_crew::order() {
    agent_orders o{options_.command,
                   where_.directory,
                   options_.environment,
                   {},
                   options_.ranks,
                   address(),
                   transport::bootstrap::drawn_key(),
                   options_.bind.text()};
    ordered_ = true;
    for (host& h : hosts_) {
        o.ranks = h.ranks;
        h.line.send(agent_frame::kind::start, o.packed());
        h.at = stage::running;
    }
}

void remote_crew::refuse() {
    const auto lost = std::count_if(hosts_.begin(), hosts_.end(), [](const host& h) { return h.at == stage::gone; });
    std::string report = hosts_.size() == 1 ? "the host could not be reached:"
                                            : fmt::format("{} of {} hosts could not be reached:", lost, hosts_.size());
    for (const host& h : hosts_)
        if (h.at == stage::gone) report += fmt::format("\n  {}: {}", h.name, h.fault);
    fail(1, std::move(report));
    abandon();
}

void remote_crew::fail(int status, std::string report) {
    if (failure_.status == 0) failure_ = {status, std::move(report)};
}

// Hosts that tell of no end are lost; the end of their input ends what runs there.
void remote_crew::abandon() {
    abandon_at_ = never;
    for (host& h : hosts_) {
        if (!h.open()) continue;
        if (ordered_ || h.at == stage::calling)
            lose(h, "it does not tell that its ranks have ended");
        else
            h.at = stage::gone; // its agent ends when its input does
    }
    if (!ordered_) running_ = 0;
}

void remote_crew::signal(int number) {
    if (!ordered_) {
        const char* const name = sigabbrev_np(number);
        fail(128 + number, fmt::format("ended by SIG{} before all hosts had answered", name ? name : "?"));
        return abandon();
    }
    for (host& h : hosts_)
        if (h.at == stage::running) h.line.send(agent_frame::kind::signal, packed_number(number));
    if (number == SIGKILL) abandon_at_ = std::min(abandon_at_, clock::now() + kill_wait);
}

std::vector<ending> remote_crew::take_endings() { return std::exchange(ended_, {}); }

launch_failure remote_crew::take_failure() {
    return {std::exchange(failure_.status, 0), std::exchange(failure_.report, {})};
}

} // namespace tutti::tools

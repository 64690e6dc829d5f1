// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "observed.hpp"

#include <transport/contract/notice.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tutti::tools {
namespace {

namespace status = transport::status;

/// A rank that is inside the library looks around much oftener.
constexpr std::int64_t longest_look_ns = 1'000'000'000;

bool is_fresh(const status::rank_told& r) { return r.copied - std::max(r.looked, r.entered) < longest_look_ns; }

rank_state state_here(const status::rank_told& r, status::process_state process) {
    switch (process) {
    case status::process_state::dead: return rank_state::dead;
    case status::process_state::stopped: return rank_state::stopped;
    case status::process_state::alive: break;
    }
    return state_by_page(r);
}

void take(observed_job& job, const status::rank_told& r, status::process_state process) {
    if (job.ranks.empty()) {
        job.world = r.world, job.size = r.size, job.hosts = r.hosts;
        job.command = r.command, job.zero_host = r.zero_host, job.group = r.group, job.joined_wall = r.joined_wall;
        job.ranks.resize(static_cast<std::size_t>(r.size));
        for (int k = 0; k < r.size; ++k) job.ranks[static_cast<std::size_t>(k)].rank = k;
    }
    if (r.size != job.size) return;
    ++job.here;
    job.joined_wall = std::min(job.joined_wall, r.joined_wall);
    observed_rank& o = job.ranks[static_cast<std::size_t>(r.rank)];
    o.state = state_here(r, process);
    o.host = r.host, o.pid = r.pid;
    o.is_here = true;
    o.told = r;
}

} // namespace

rank_state state_by_page(const status::rank_told& r) {
    if (r.under_way == 0) return rank_state::outside;
    return is_fresh(r) ? rank_state::in_call : rank_state::elsewhere;
}

std::string name_of(rank_state s) {
    constexpr std::array names{"in a call", "elsewhere", "outside of calls", "stopped",
                               "dead",      "left",      "silent",           "unknown"};
    return names[static_cast<std::size_t>(s)];
}

int dead_in(const observed_job& job) {
    return static_cast<int>(std::ranges::count(job.ranks, rank_state::dead, &observed_rank::state));
}

std::vector<observed_job> observe_jobs() {
    std::map<std::uint64_t, observed_job> by_world;
    if (const auto in = status::place::open(false))
        for (const auto& name : in->pages()) {
            const auto seen = status::look_at(*in, name);
            const auto told = seen ? status::told_by(seen->copy) : std::nullopt;
            if (told) take(by_world[name.world], *told, seen->process);
        }
    std::vector<observed_job> all;
    for (auto& [world, job] : by_world)
        if (job.here > 0) all.push_back(std::move(job));
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.joined_wall < b.joined_wall; });
    return all;
}

double seconds_since(const observed_rank& r, std::int64_t moment) {
    if (!r.told || moment == 0) return 0;
    return std::max(0.0, static_cast<double>(r.told->copied - moment) / 1e9) + r.age_s;
}

std::vector<status::call_told> calls_of(const observed_rank& r) {
    if (!r.told || r.told->under_way == 0) return {};
    auto all = r.told->calls;
    const bool is_message = r.told->what == status::messages_code;
    const auto last = is_message ? transport::no_number : r.told->request;
    const bool is_old = r.told->looked < r.told->entered; // of a call that may be over
    std::erase_if(all,
                  [&](const status::call_told& c) { return is_old || (r.told->under_way == 1 && c.request != last); });
    return all;
}

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "check.hpp"

#include "../common/text_output.hpp"
#include "against.hpp"
#include "testbed.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

void check_ranks(const bench_settings& s, int ranks, const std::vector<job>& jobs) {
    for (const int root : s.roots)
        if (root >= ranks) throw std::invalid_argument(fmt::format("there is no root {} among {} ranks", root, ranks));
    const bool messages = std::ranges::any_of(jobs, [](const job& j) { return j.messages.has_value(); });
    if (messages && ranks < 2) throw std::invalid_argument("messages are measured between two ranks at least");
    for (const int pairs : s.pairs)
        if (pairs < 1 || pairs > ranks / 2)
            throw std::invalid_argument(fmt::format("{} ranks have no {} pairs, but 1 to {}", ranks, pairs, ranks / 2));
}

void check_overlap(const bench_settings& s, const std::vector<job>& jobs) {
    if (s.tests > 0 && !s.overlap) throw std::invalid_argument("--tests is for --overlap: what it computes beside");
    if (!s.overlap) return;
    if (s.how == timing::loop) throw std::invalid_argument("--overlap is measured after barriers, not in a loop");
    for (const job& j : jobs)
        if (j.messages && *j.messages != exchange::sendrecv)
            throw std::invalid_argument(
                fmt::format("--overlap is of non-blocking calls: of messages sendrecv alone, not {}", j.name()));
}

} // namespace

void check_settings(const bench_settings& s, int ranks) {
    if (s.encrypt && s.transport != "tcp" && s.transport != "routed")
        throw std::invalid_argument("--encrypt is for what goes over tcp: --transport tcp or routed");
    static_cast<void>(takes_standard_output({s.json, s.csv, s.trace}, "--json, --csv and --trace"));
    const std::vector<job> jobs = jobs_of(s, 0, ranks);
    check_ranks(s, ranks, jobs);
    check_overlap(s, jobs);
    if (jobs.empty())
        throw std::invalid_argument(
            "nothing to measure: no such operator on these types, no such algorithm, or no such place");
}

void check(const bench_settings& settings, int ranks) {
    check_settings(settings, ranks);
    require_writable(settings.csv);
    if (settings.against.empty()) return;
    const earlier_runs earlier(settings.against);
    earlier.require(conditions_of(settings, ranks, testbed_here()));
    earlier.require_some(jobs_of(settings, 0, ranks));
}

} // namespace tutti::tools

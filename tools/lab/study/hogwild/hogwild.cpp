// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../processes.hpp"
#include "findings.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace tutti::tools::study {

outcome hogwild_study(const settings& s, progress_line& line) {
    using namespace hogwild;
    const stopwatch time;
    results r{{}, {}, std::max(1U, std::thread::hardware_concurrency())};
    r.of.seeds = s.seeds > 0 ? s.seeds : s.quick ? 2 : 5;
    if (s.quick) r.of.passes = 3;
    r.problems.push_back({sparse_problem(s), r.of.sparse_rate});
    r.problems.push_back({dense_problem(s), r.of.dense_rate});
    for (solved& one : r.problems)
        one.descents.assign(ways.size(), std::vector<std::vector<descent>>(r.of.threads.size()));
    const std::vector<turn> turns = turns_of(r.of, r.problems.size());
    for (std::size_t done = 0; done < turns.size(); ++done) {
        const turn& now = turns[done];
        solved& one = r.problems[now.problem];
        line.show(done, turns.size(), "descents");
        descent found = descended(r.of, one.of, one.rate, r.of.threads[now.threads], ways[now.way], now.seed);
        if (now.counts) one.descents[now.way][now.threads].push_back(std::move(found));
    }
    if (getloadavg(&r.load, 1) != 1) r.load = 0;
    r.wall_s = time.seconds();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

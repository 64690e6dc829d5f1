// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace tutti::tools::study {

outcome hogwild_study(const settings& s, progress_line& line) {
    using namespace hogwild;
    const auto start = std::chrono::steady_clock::now();
    results r{{}, {}, std::max(1U, std::thread::hardware_concurrency())};
    r.of.seeds = s.seeds > 0 ? s.seeds : s.quick ? 2 : 5;
    if (s.quick) r.of.passes = 3;
    r.problems.push_back({sparse_problem(s), r.of.sparse_rate});
    r.problems.push_back({dense_problem(s), r.of.dense_rate});
    for (solved& one : r.problems)
        one.descents.assign(ways.size(), std::vector<std::vector<descent>>(r.of.threads.size()));
    const std::size_t all = r.of.seeds * r.problems.size() * ways.size() * r.of.threads.size();
    std::size_t done = 0;
    // One at a time, and all of a seed one after the other, so that what else the host does meets all alike.
    for (std::uint64_t seed = 1; seed <= r.of.seeds; ++seed)
        for (solved& one : r.problems)
            for (std::size_t t = 0; t < r.of.threads.size(); ++t)
                for (std::size_t w = 0; w < ways.size(); ++w) {
                    line.show(done++, all, "descents");
                    one.descents[w][t].push_back(descended(r.of, one.of, one.rate, r.of.threads[t], ways[w], seed));
                }
    if (getloadavg(&r.load, 1) != 1) r.load = 0;
    r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

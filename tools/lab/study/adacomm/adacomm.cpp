// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../pictures_of.hpp"
#include "content.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tutti::tools::study {

outcome adacomm_study(const settings& s, progress_line& line) {
    using namespace adacomm;
    const auto start = std::chrono::steady_clock::now();
    results r{design_of(s), {}, {}, words_of_source(source_of(s))};
    r.ways = strategies_of(r.of);
    const dataset training = pictures_of(s, true), testing = pictures_of(s, false);
    const std::size_t tasks = r.ways.size() * r.of.seeds;
    const std::size_t jobs = s.jobs > 0 ? s.jobs : std::max(1U, std::thread::hardware_concurrency());
    line.show(0, tasks, "trainings");
    // Seed by seed, so that the time that is left is guessed well.
    const auto found = in_processes(
        tasks, jobs,
        [&](std::size_t i) {
            return numbers_of(trained(r.of, r.ways[i % r.ways.size()], i / r.ways.size() + 1, training, testing));
        },
        [&](std::size_t done) {
            if (done < tasks) line.show(done, tasks, "trainings");
        });
    r.runs.resize(r.ways.size());
    for (std::size_t i = 0; i < tasks; ++i) r.runs[i % r.ways.size()].push_back(looks_of(found[i]));
    r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

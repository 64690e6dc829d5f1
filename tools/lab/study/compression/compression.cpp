// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../pictures_of.hpp"
#include "content.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tutti::tools::study {

outcome compression_study(const settings& s, progress_line& line) {
    using namespace compression;
    const auto start = std::chrono::steady_clock::now();
    results r{design_of(s), {}, {}, {}, words_of_source(source_of(s))};
    const dataset training = pictures_of(s, true), testing = pictures_of(s, false);
    for (const std::string_view way : ways) r.coding_s.push_back(coding_s(r.of, way, training.pixels));
    // Seed by seed; the last round are the times.
    const std::size_t tasks = ways.size() * (r.of.seeds + 1);
    const std::size_t jobs = s.jobs > 0 ? s.jobs : std::max(1U, std::thread::hardware_concurrency());
    line.show(0, tasks, "trainings");
    const auto found = in_processes(
        tasks, jobs,
        [&](std::size_t i) {
            const std::string_view way = ways[i % ways.size()];
            const std::size_t seed = i / ways.size() + 1;
            if (seed <= r.of.seeds) return numbers_of(trained(r.of, way, seed, training, testing));
            numbers times;
            for (const double m : r.of.mbit_s) times.push_back(network_s(r.of, way, m, training));
            return times;
        },
        [&](std::size_t done) {
            if (done < tasks) line.show(done, tasks, "trainings");
        });
    r.runs.resize(ways.size());
    for (std::size_t i = 0; i < tasks; ++i) {
        if (i / ways.size() < r.of.seeds)
            r.runs[i % ways.size()].push_back(training_of(found[i]));
        else
            r.network_s.push_back(found[i]);
    }
    r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

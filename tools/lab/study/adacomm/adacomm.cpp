// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../pictures_of.hpp"
#include "findings.hpp"

namespace tutti::tools::study {

outcome adacomm_study(const settings& s, progress_line& line) {
    using namespace adacomm;
    const stopwatch time;
    results r{design_of(s), {}, {}, words_of_source(source_of(s))};
    r.ways = strategies_of(r.of);
    const dataset training = pictures_of(s, true), testing = pictures_of(s, false);
    const std::size_t tasks = r.ways.size() * r.of.seeds;
    // Seed by seed, so that the time that is left is guessed well.
    const auto found = trainings(s, line, tasks, [&](std::size_t i) {
        return numbers_of(trained(r.of, r.ways[i % r.ways.size()], i / r.ways.size() + 1, training, testing));
    });
    r.runs.resize(r.ways.size());
    for (std::size_t i = 0; i < tasks; ++i) r.runs[i % r.ways.size()].push_back(of_numbers<look>(found[i]));
    r.wall_s = time.seconds();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

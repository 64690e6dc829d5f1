// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../pictures_of.hpp"
#include "findings.hpp"

namespace tutti::tools::study {

outcome compression_study(const settings& s, progress_line& line) {
    using namespace compression;
    const stopwatch time;
    results r{design_of(s), {}, {}, {}, words_of_source(source_of(s))};
    const dataset training = pictures_of(s, true), testing = pictures_of(s, false);
    for (const std::string_view way : ways) r.coding_s.push_back(coding_s(r.of, way, training.pixels));
    // Seed by seed; the last round are the times.
    const std::size_t tasks = ways.size() * (r.of.seeds + 1);
    const auto found = trainings(s, line, tasks, [&](std::size_t i) {
        const std::string_view way = ways[i % ways.size()];
        const std::size_t seed = i / ways.size() + 1;
        numbers times;
        if (seed <= r.of.seeds) {
            const training_found one = trained(r.of, way, seed, training, testing);
            times = study::numbers_of(one.looks);
            times.push_back(one.bytes);
            return times;
        }
        for (const double m : r.of.mbit_s) times.push_back(network_s(r.of, way, m, training));
        return times;
    });
    r.runs.resize(ways.size());
    for (std::size_t i = 0; i < tasks; ++i) {
        if (i / ways.size() < r.of.seeds)
            r.runs[i % ways.size()].push_back({of_numbers<look>(found[i]), found[i].back()});
        else
            r.network_s.push_back(found[i]);
    }
    r.wall_s = time.seconds();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

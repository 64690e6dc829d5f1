// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../train/out_of_step.hpp"
#include "../pictures_of.hpp"
#include "content.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tutti::tools::study {

outcome stale_workers(const settings& s, progress_line& line) {
    const auto start = std::chrono::steady_clock::now();
    staleness::results r{staleness::design_of(s), words_of_source(source_of(s)), {}, {}, 0};
    r.runs = staleness::runs_of(r.of);
    const picture_sets pictures{pictures_of(s, true), pictures_of(s, false)}; // the processes inherit them
    const std::size_t jobs = s.jobs > 0 ? s.jobs : std::max(1U, std::thread::hardware_concurrency());
    line.show(0, r.runs.size(), "trainings");
    const auto all = in_processes(
        r.runs.size(), jobs,
        [&](std::size_t i) {
            const train_settings one = staleness::settings_of(r.of, r.runs[i]);
            return staleness::numbers_of(train_out_of_step(one, r.of.test_every, &pictures));
        },
        [&](std::size_t done) {
            if (done < r.runs.size()) line.show(done, r.runs.size(), "trainings");
        });
    for (const numbers& one : all) r.found.push_back(staleness::result_of(one));
    r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

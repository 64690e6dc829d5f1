// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../train/out_of_step.hpp"
#include "../pictures_of.hpp"
#include "findings.hpp"

namespace tutti::tools::study {

outcome stale_workers(const settings& s, progress_line& line) {
    const stopwatch time;
    staleness::results r{staleness::design_of(s), words_of_source(source_of(s)), {}, {}, 0};
    r.runs = staleness::runs_of(r.of);
    const picture_sets pictures{pictures_of(s, true), pictures_of(s, false)}; // the processes inherit them
    for (const numbers& one : trainings(s, line, r.runs.size(), [&](std::size_t i) {
             const train_settings of_run = staleness::settings_of(r.of, r.runs[i]);
             return staleness::numbers_of(train_out_of_step(of_run, r.of.test_every, &pictures));
         }))
        r.found.push_back(staleness::result_of(one));
    r.wall_s = time.seconds();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

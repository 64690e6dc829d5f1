// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "findings.hpp"
#include "training.hpp"

#include <collectives/algorithm/all.hpp>

namespace tutti::tools::study {
namespace {

/// Goyal et al. 2017: 90 epochs of 1,281,167 pictures in 29 hours on 8 GPUs with 32 pictures each; the backward pass
/// takes 120 ms (section 4). All of such a step is taken for computation.
constexpr double published_step_s = 8 * 32 * 29 * 3600. / (90 * 1'281'167.);
constexpr step_shape published_step{published_step_s, 0.120};

/// The last is what the paper has: sums within nodes first, then halving and doubling between them.
std::vector<scaling> scalings_on(const planner::cluster& on) {
    using namespace algorithm;
    std::vector<scaling> all;
    for (const any& how : {any(ring{}), any(halving_doubling{}), any(hierarchical<ring, halving_doubling>{})})
        all.push_back(scaling_of(how, planner::resnet50(), on, published_step));
    return all;
}

} // namespace

outcome large_batch(const settings& s, progress_line& line) {
    const stopwatch time;
    large_batch_results r{design_of(s), {}, {}, {}, planner::cluster_of("big-basin"), published_step};
    r.runs = runs_of(r.of);
    r.errors =
        trainings(s, line, r.runs.size(), [&](std::size_t i) { return test_errors(settings_of(r.of, r.runs[i])); });
    r.cpu_s = cpu_s_of_children();
    if (s.quick) r.on.nodes = 4;
    line.show("simulating steps");
    r.scalings = scalings_on(r.on);
    r.wall_s = time.seconds();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

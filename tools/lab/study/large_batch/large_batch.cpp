// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "content.hpp"
#include "training.hpp"

#include <collectives/algorithm/all.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>

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
    const auto start = std::chrono::steady_clock::now();
    large_batch_results r{design_of(s), {}, {}, {}, planner::cluster_of("big-basin"), published_step};
    r.runs = runs_of(r.of);
    const std::size_t jobs = s.jobs > 0 ? s.jobs : std::max(1U, std::thread::hardware_concurrency());
    line.show(0, r.runs.size(), "trainings");
    r.errors = in_processes(
        r.runs.size(), jobs, [&](std::size_t i) { return test_errors(settings_of(r.of, r.runs[i])); },
        [&](std::size_t done) {
            if (done < r.runs.size()) line.show(done, r.runs.size(), "trainings");
        });
    r.cpu_s = cpu_s_of_children();
    if (s.quick) r.on.nodes = 4;
    line.show("simulating steps");
    r.scalings = scalings_on(r.on);
    r.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return {text_of(r), content_of(r), facts_of(r)};
}

} // namespace tutti::tools::study

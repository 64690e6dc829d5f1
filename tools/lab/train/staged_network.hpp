// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chunks.hpp"
#include "network_stage.hpp"
#include "stage_run.hpp"

namespace tutti::tools {

/// A network that is trained by any schedule of a pipeline, also one with several versions of the weights. Rank r of a
/// communicator has chunks r, r + stages, ... A schedule with one version whose gradients are in order ends with the
/// bits of one worker that takes the same microbatches one by one. Other schedules end with those of a worker that
/// follows their rule, as stale_network does.
template <class Communicator, training::update_rule Rule>
class staged_network {
public:
    /// As of stage_run. The network outlives this.
    staged_network(const Communicator& stages, training::pipeline::program steps, const neural::network& network,
                   std::span<const neural::layer_range> chunks, std::size_t rows, float scale, Rule rule,
                   std::uint64_t seed)
        : run_(stages, std::move(steps), network, chunks, rows, scale),
          stage_(network, chunks_of_stage(chunks, run_.of().stages, stages.rank()), held().versions, held().activations,
                 rule, seed) {}

    /// Goes once through the schedule, as stage_run does.
    neural::score run(const std::function<labelled(int)>& batch, double rate, const around_work& around = plainly) {
        stage_.begin_anew(rate);
        return run_.run(stage_, batch, around);
    }

    [[nodiscard]] network_stage<Rule>& stage() noexcept { return stage_; }
    [[nodiscard]] const training::pipeline::figures& held() const noexcept { return run_.held(); }

private:
    stage_run<Communicator> run_;
    network_stage<Rule> stage_;
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/choices.hpp"
#include "compressed_job.hpp"
#include "gossip_job.hpp"
#include "hogwild_job.hpp"
#include "local_job.hpp"
#include "period_choice.hpp"
#include "train.hpp"
#include "training_job.hpp"

#include <memory>

namespace tutti::tools {

namespace detail {

template <class Communicator, training::update_rule Rule>
std::unique_ptr<joint_job> local_job_by(Rule rule, const Communicator& world, const train_settings& s,
                                        const std::vector<training::parameter>& parameters,
                                        std::span<const float> weights, const std::optional<algorithm::any>& how) {
    const auto with = [&](const auto& period) -> std::unique_ptr<joint_job> {
        using period_type = std::remove_cvref_t<decltype(period)>;
        return std::make_unique<local_job<Communicator, Rule, period_type>>(
            world, parameters, rule, weights, period, training::slow_momentum{.kept = s.slow_momentum}, how);
    };
    return std::visit(with, averaging_period_of(s.period));
}

template <class Communicator, training::update_rule Rule>
std::unique_ptr<joint_job> job_by(Rule rule, const Communicator& world, const train_settings& s,
                                  const std::vector<training::parameter>& parameters, std::span<const float> weights) {
    training::bucket_options options;
    options.bytes = {std::min(options.bytes.first, s.bucket_bytes), s.bucket_bytes};
    options.as = s.wire == "bfloat16" ? training::wire::bfloat16 : training::wire::float32;
    options.finds_bad = true;
    options.how = choices(s.algorithm, operation::allreduce, world.size()).front().algorithm;
    if (s.mode == "local") return local_job_by(rule, world, s, parameters, weights, options.how);
    if (s.mode == "gossip")
        return std::make_unique<gossip_job<Communicator, Rule>>(world, parameters, rule, weights, graph_of(s.graph),
                                                                options.how);
    if (!s.compress.empty())
        return std::make_unique<compressed_job<Communicator, Rule>>(world, parameters, rule, weights,
                                                                    compressor_of(s.compress, s.seed), options.bytes);
    if (!s.mode.starts_with("zero"))
        return std::make_unique<whole_job<Communicator, Rule>>(world, parameters, rule, weights, options);
    const auto stage = s.mode == "zero1"   ? training::stage::states
                       : s.mode == "zero2" ? training::stage::gradients
                                           : training::stage::parameters;
    return std::make_unique<sharded_job<Communicator, Rule>>(world, parameters, stage, rule, weights, options);
}

} // namespace detail

/// The job of these settings. `weights` are the first ones of this rank's part of the model. Collective.
template <class Communicator>
[[nodiscard]] std::unique_ptr<joint_job> make_job(const Communicator& world, const train_settings& s,
                                                  const std::vector<training::parameter>& parameters,
                                                  std::span<const float> weights) {
    if (s.mode == "hogwild") return std::make_unique<hogwild_job<Communicator>>(world, parameters, weights);
    const auto by = [&](auto rule) { return detail::job_by(rule, world, s, parameters, weights); };
    if (s.optimizer == "momentum") return by(training::momentum{});
    if (s.optimizer == "adam") return by(training::adam{});
    if (s.optimizer == "adagrad") return by(training::adagrad{});
    if (s.optimizer == "lars") return by(training::lars{});
    return by(training::sgd{});
}

} // namespace tutti::tools

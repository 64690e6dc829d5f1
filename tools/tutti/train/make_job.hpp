// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/choices.hpp"
#include "train.hpp"
#include "training_job.hpp"

#include <memory>

namespace tutti::tools {

namespace detail {

template <class Communicator, training::update_rule Rule>
std::unique_ptr<training_job> job_by(Rule rule, const Communicator& world, const train_settings& s,
                                     const std::vector<training::parameter>& parameters,
                                     std::span<const float> weights) {
    training::bucket_options options;
    options.bytes = {std::min(options.bytes.first, s.bucket_bytes), s.bucket_bytes};
    options.as = s.wire == "bfloat16" ? training::wire::bfloat16 : training::wire::float32;
    options.how = choices(s.algorithm, operation::allreduce, world.size()).front().algorithm;
    if (!s.mode.starts_with("zero"))
        return std::make_unique<whole_job<Communicator, Rule>>(world, parameters, rule, weights, options);
    const auto stage = s.mode == "zero1"   ? training::stage::states
                       : s.mode == "zero2" ? training::stage::gradients
                                           : training::stage::parameters;
    return std::make_unique<sharded_job<Communicator, Rule>>(world, parameters, stage, rule, weights, options);
}

} // namespace detail

/// The job of these settings. `weights` are the first ones of the whole model. Collective.
template <class Communicator>
[[nodiscard]] std::unique_ptr<training_job> make_job(const Communicator& world, const train_settings& s,
                                                     const std::vector<training::parameter>& parameters,
                                                     std::span<const float> weights) {
    const auto by = [&](auto rule) { return detail::job_by(rule, world, s, parameters, weights); };
    if (s.optimizer == "momentum") return by(training::momentum{});
    if (s.optimizer == "adam") return by(training::adam{});
    if (s.optimizer == "adagrad") return by(training::adagrad{});
    if (s.optimizer == "lars") return by(training::lars{});
    return by(training::sgd{});
}

} // namespace tutti::tools

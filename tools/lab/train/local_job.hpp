// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apart_job.hpp"

#include <training/local_sgd.hpp>

namespace tutti::tools {

/// Weights are averaged once in some steps.
template <class Communicator, training::update_rule Rule, training::averaging_period Period>
class local_job final : public apart_job<Communicator, Rule> {
    using base = apart_job<Communicator, Rule>;

public:
    local_job(const Communicator& world, const std::vector<training::parameter>& parameters, Rule rule,
              std::span<const float> weights, Period period, training::slow_momentum outer,
              const std::optional<algorithm::any>& how)
        : base(world, parameters, rule, weights, how), outer_(outer),
          local_(world, weights, std::move(period), outer, how) {}

    bool meets() override { return local_.left() == 1; }
    void step(double rate, double loss) override {
        this->optimizer_.step(rate, this->weights_, this->gradients());
        const training::detail::exposed_time timed(this->exposed_, this->now_);
        local_.step(this->weights_, loss, rate);
    }
    training::bytes_held bytes() override {
        training::bytes_held held = base::bytes();
        if (!outer_.is_plain()) held.states += 2 * sizeof(float) * this->weights_.size();
        return held;
    }

private:
    const training::slow_momentum outer_;
    training::local_sgd<Communicator, Period> local_;
};

} // namespace tutti::tools

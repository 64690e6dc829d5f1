// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apart_job.hpp"
#include "graph_choice.hpp"

namespace tutti::tools {

/// Weights are averaged with those of neighbours in each step. They travel while the gradient is computed.
template <class Communicator, training::update_rule Rule>
class gossip_job final : public apart_job<Communicator, Rule> {
    using base = apart_job<Communicator, Rule>;

public:
    gossip_job(const Communicator& world, const std::vector<training::parameter>& parameters, Rule rule,
               std::span<const float> weights, const graph_choice& graph, const std::optional<algorithm::any>& how)
        : base(world, parameters, rule, weights, how), graph_(graph), mixer_(world, graph) {}

    /// Neighbours alone wait for each other. Once in some steps all tell what they have come to.
    bool meets() override { return mixer_.rounds() % 16 == 15; }
    void clear() override {
        base::clear();
        mixer_.start(this->weights_);
    }
    void step(double rate, double) override {
        {
            const training::detail::exposed_time timed(this->exposed_, this->now_);
            mixer_.finish(this->weights_);
        }
        this->optimizer_.step(rate, this->weights_, this->gradients());
    }
    training::bytes_held bytes() override {
        training::bytes_held held = base::bytes();
        const auto links = training::gossip::incoming(graph_, this->world_.rank(), this->world_.size(), 0).size();
        held.parameters += links * sizeof(float) * this->weights_.size();
        return held;
    }

private:
    const graph_choice graph_;
    training::gossip::mixer<Communicator, graph_choice> mixer_;
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "resident_job.hpp"

#include <collectives/algorithm/any.hpp>
#include <training/gossip/mixer.hpp>

namespace tutti::tools {

/// Each rank has weights of its own, and steps along its own gradients. What is tested and saved is the average of all
/// ranks' weights, with the optimizer's state of rank 0.
template <class Communicator, training::update_rule Rule>
class apart_job : public resident_job<Communicator, Rule> {
    using base = resident_job<Communicator, Rule>;

public:
    apart_job(const Communicator& world, const std::vector<training::parameter>& parameters, Rule rule,
              std::span<const float> weights, const std::optional<algorithm::any>& how)
        : base(world, parameters, rule, weights), how_(how), gradients_(weights.size()) {}

    std::span<const float> weights(std::size_t i) override {
        return this->of(std::span<const float>(shows_average_ ? average_ : this->weights_), i);
    }
    std::optional<double> show_average() override {
        find_average();
        shows_average_ = true;
        return training::gossip::consensus_distance(this->world_, this->weights_);
    }
    void show_own() override { shows_average_ = false; }
    void save(const std::string& path, std::uint64_t seed) override {
        find_average();
        training::save(this->world_, path, this->plan_, std::span(average_), this->optimizer_, seed);
    }
    training::bytes_held bytes() override {
        training::bytes_held held = base::bytes();
        held.parameters += average_.size() * sizeof(float);
        return held;
    }

protected:
    [[nodiscard]] std::span<float> gradients() override { return gradients_; }

    const std::optional<algorithm::any> how_; ///< of allreduces

private:
    void find_average() {
        average_.resize(this->weights_.size());
        this->world_.allreduce(std::span<const float>(this->weights_), std::span(average_), average, how_);
    }

    std::vector<float> gradients_, average_;
    bool shows_average_ = false;
};

} // namespace tutti::tools

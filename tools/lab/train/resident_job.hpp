// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "training_job.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// All weights, and the optimizer's state of them, are on each rank. How ranks come together is said by those that
/// derive from it.
template <class Communicator, training::update_rule Rule>
class resident_job : public joint_job {
public:
    resident_job(const Communicator& world, const std::vector<training::parameter>& parameters, Rule rule,
                 std::span<const float> weights)
        : world_(world), plan_(parameters, {}), optimizer_(parameters, rule), weights_(weights.begin(), weights.end()) {
    }

    std::span<const float> weights(std::size_t i) override { return of(std::span(weights_), i); }
    std::span<float> gradient(std::size_t i) override { return of(gradients(), i); }
    void clear() override { std::ranges::fill(gradients(), 0.F); }
    void finish() override { look_.finds_all_finite(*this, plan_.parameters().size()); }
    std::optional<bad_step> first_bad() override { return look_.first_bad(); }
    void clip(double most) override { training::clip(gradients(), most); }
    std::size_t steps() override { return optimizer_.steps(); }
    void save(const std::string& path, std::uint64_t seed) override {
        training::save(world_, path, plan_, std::span(weights_), optimizer_, seed);
    }
    std::uint64_t restore(const std::string& path) override {
        return training::restore(world_, path, plan_, std::span(weights_), optimizer_);
    }
    training::bytes_held bytes() override {
        const std::size_t all = weights_.size() * sizeof(float);
        return {all, all, Rule::states * all};
    }
    std::chrono::nanoseconds exposed() const override { return exposed_; }

protected:
    /// Of all parameters.
    [[nodiscard]] virtual std::span<float> gradients() = 0;

    template <class Element>
    [[nodiscard]] std::span<Element> of(std::span<Element> all, std::size_t i) const {
        return all.subspan(plan_.begin(i), plan_.parameters()[i].elements);
    }

    const Communicator& world_;
    const training::time_source now_ = training::clock_of(world_);
    const training::bucket_plan plan_;
    training::optimizer<Rule> optimizer_;
    std::vector<float> weights_;
    std::chrono::nanoseconds exposed_{};

private:
    own_look look_;
};

} // namespace tutti::tools

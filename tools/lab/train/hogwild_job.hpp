// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "resident_job.hpp"

#include <collectives/broadcast.hpp>
#include <training/hogwild.hpp>

#include <cstdint>
#include <memory>

namespace tutti::tools {

/// Ranks are threads of one process, and share weights without locks. Each reads them when a step of its own begins,
/// and adds to them when it ends. A rank's gradient counts as its part of a batch.
template <class Communicator>
class hogwild_job final : public resident_job<Communicator, training::sgd> {
    using base = resident_job<Communicator, training::sgd>;

public:
    /// Collective.
    hogwild_job(const Communicator& world, const std::vector<training::parameter>& parameters,
                std::span<const float> weights)
        : base(world, parameters, {}, weights), shared_(shared_by(world, weights)), gradients_(weights.size()) {}

    /// Ranks wait for no other one in a step. Once in some steps all tell what they have come to.
    bool meets() override { return steps_ % 16 == 15; }
    void clear() override {
        read();
        base::clear();
    }
    void step(double rate, double) override {
        const auto scale = static_cast<float>(-rate / this->world_.size());
        for (std::size_t i = 0; i < gradients_.size(); ++i)
            if (gradients_[i] != 0) shared_->add(i, scale * gradients_[i]);
        ++steps_;
    }
    /// All have ended their steps, and none begins another one before all have read the weights.
    std::optional<double> show_average() override {
        this->world_.barrier();
        read();
        this->world_.barrier();
        return {};
    }
    std::size_t steps() override { return steps_; }

protected:
    [[nodiscard]] std::span<float> gradients() override { return gradients_; }

private:
    using shared_pointer = std::shared_ptr<training::shared_weights>;

    /// Rank 0 makes them, and tells the others where its pointer is.
    [[nodiscard]] static shared_pointer shared_by(const Communicator& world, std::span<const float> weights) {
        shared_pointer own;
        if (world.rank() == 0) {
            own = std::make_shared<training::shared_weights>(weights.size());
            for (std::size_t i = 0; i < weights.size(); ++i) own->add(i, weights[i]);
        }
        const auto place = world.broadcast(reinterpret_cast<std::uintptr_t>(&own), 0);
        if (world.rank() != 0) own = *reinterpret_cast<const shared_pointer*>(place);
        world.barrier(); // all have a copy, so rank 0 may move its own
        return own;
    }
    void read() {
        for (std::size_t i = 0; i < this->weights_.size(); ++i) this->weights_[i] = (*shared_)[i];
    }

    const shared_pointer shared_;
    std::vector<float> gradients_;
    std::size_t steps_ = 0;
};

} // namespace tutti::tools

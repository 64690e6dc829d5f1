// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "compressor_choice.hpp"
#include "resident_job.hpp"

#include <training/compressed/compressed_buckets.hpp>

namespace tutti::tools {

/// Gradients are averaged by a compressor. What its error feedback has left out is not saved.
template <class Communicator, training::update_rule Rule>
class compressed_job final : public resident_job<Communicator, Rule> {
    using base = resident_job<Communicator, Rule>;

public:
    compressed_job(const Communicator& world, const std::vector<training::parameter>& parameters, Rule rule,
                   std::span<const float> weights, const compressor_choice& each, training::bucket_bytes bytes)
        : base(world, parameters, rule, weights), buckets_(world, parameters, each, bytes, weights) {}

    void reduces(bool does) override { reduces_ = does; }
    void finish() override {
        base::finish();
        if (!reduces_) return;
        const training::detail::exposed_time timed(this->exposed_, this->now_);
        sent_ += buckets_.finish();
    }
    void step(double rate, double) override { this->optimizer_.step(rate, this->weights_, gradients()); }
    std::optional<training::compressed::traffic> sent() override { return sent_; }
    /// Beside gradients there is what was sent of them, and as much of error feedback at most.
    training::bytes_held bytes() override {
        training::bytes_held held = base::bytes();
        held.gradients *= 3;
        return held;
    }

protected:
    [[nodiscard]] std::span<float> gradients() override { return buckets_.gradients(); }

private:
    training::compressed::compressed_buckets<Communicator, compressor_choice> buckets_;
    training::compressed::traffic sent_;
    bool reduces_ = true;
};

} // namespace tutti::tools

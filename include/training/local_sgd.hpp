// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/error.hpp"
#include "../collectives/algorithm/any.hpp"
#include "../collectives/allreduce.hpp"
#include "buckets/agreement.hpp"
#include "learning_rate.hpp"
#include "local_sgd/averaging_period.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training {

/// A step of all ranks together after each average: u = kept u + (old - average) / rate, and then weights = old - slow
/// rate x rate x u. Here `old` are the weights after the last such step. With the defaults weights are the average
/// itself.
/// Source: SlowMo, Wang, Tantia, Ballas and Rabbat 2020.
struct slow_momentum {
    double kept = 0; ///< the share of u that stays
    double rate = 1; ///< the slow learning rate
    /// As members.
    [[nodiscard]] std::array<double, 2> numbers() const noexcept { return {kept, rate}; }
    /// Weights are the average itself.
    [[nodiscard]] bool is_plain() const noexcept { return kept == 0 && rate == 1; }
};

/// Averages weights once in a while, instead of gradients in each step. Each rank makes steps of its own by any
/// optimizer, and calls step() after each. The state of that optimizer stays the rank's own.
///
/// Preconditions on all ranks: the same weights at first, periods and options; the same number of steps. After an
/// average weights have the same bits on all ranks. Errors: as of allreduce.
/// Cost: an allreduce of the weights each tau steps, and one of 16 bytes where the period measures. Memory: with slow
/// momentum 8 bytes a weight. Sources: see averaging_period.hpp.
template <class Communicator, averaging_period Period>
class local_sgd {
public:
    /// `weights` are those before the first step. Periods that measure do it by the clock of `world`, from now on. With
    /// slow momentum it is collective, and throws cause::mismatch where ranks begin with other weights or numbers. They
    /// would stay apart; plain averages make them equal. Throws invalid_argument for a number that is NaN or infinite.
    local_sgd(const Communicator& world, std::span<const float> weights, Period period, slow_momentum outer = {},
              std::optional<algorithm::any> how = {})
        : world_(world), period_(std::move(period)), outer_(outer), how_(how), elements_(weights.size()) {
        if (!outer_.is_plain()) {
            detail::require_same_lines(
                world, "local_sgd",
                {"slow momentum" + detail::numbers_in_words(outer_) + ", periods" + detail::numbers_in_words(period_),
                 std::to_string(elements_) + " weights with the hash " + std::to_string(detail::hash_of(weights))},
                "begin with the same options and weights on all ranks, as after broadcast_parameters");
            detail::require_finite("local_sgd", outer_);
            old_.assign(weights.begin(), weights.end());
            velocity_.resize(elements_);
        }
        tau_ = next();
    }

    /// This rank has made a step from which it has these weights. Averages them if it is time, and tells whether it
    /// has. `loss` counts where the period measures, and `rate`, the learning rate, with slow momentum. Throws
    /// invalid_argument for another number of weights, and for an average by slow momentum at a rate that is not above
    /// 0.
    bool step(std::span<float> weights, double loss = 0, double rate = 1) {
        if (weights.size() != elements_)
            reject("local_sgd", std::to_string(weights.size()) + " weights instead of " + std::to_string(elements_));
        ++facts_.steps;
        losses_ += loss;
        if (++since_ < tau_) return false;
        if (!outer_.is_plain() && !(rate > 0)) reject("local_sgd", "slow momentum divides by the learning rate");
        world_.allreduce(weights, average, how_); // where it throws, the next step tries again
        if (!outer_.is_plain()) step_together(weights, rate);
        if constexpr (measures<Period>) measure();
        since_ = 0;
        tau_ = next();
        return true;
    }

    /// The steps between the last average and the next one.
    [[nodiscard]] std::size_t tau() const noexcept { return tau_; }
    /// The steps that are left before it.
    [[nodiscard]] std::size_t left() const noexcept { return since_ < tau_ ? tau_ - since_ : 1; }
    /// What the period has been told last.
    [[nodiscard]] const averaging_facts& facts() const noexcept { return facts_; }

private:
    [[nodiscard]] std::size_t next() {
        const std::size_t tau = period_(facts_);
        if (tau == 0) reject("local_sgd", "a period has 1 step at least");
        return tau;
    }
    void step_together(std::span<float> weights, double rate) {
        const auto kept = static_cast<float>(outer_.kept), in = static_cast<float>(1 / rate);
        const auto out = static_cast<float>(outer_.rate * rate);
        for (std::size_t i = 0; i < elements_; ++i) {
            velocity_[i] = kept * velocity_[i] + in * (old_[i] - weights[i]);
            old_[i] = weights[i] = old_[i] - out * velocity_[i];
        }
    }
    void measure() {
        const std::chrono::duration<double> passed = world_.now() - start_;
        std::array<double, 2> mean{passed.count(), std::exchange(losses_, 0) / static_cast<double>(since_)};
        world_.allreduce(mean, average);
        facts_.seconds = mean[0], facts_.loss = mean[1];
    }

    Communicator world_;
    Period period_;
    slow_momentum outer_;
    std::optional<algorithm::any> how_;
    std::size_t elements_, tau_ = 0;
    std::size_t since_ = 0;             ///< steps since the last average
    std::vector<float> old_, velocity_; ///< with slow momentum
    averaging_facts facts_;
    double losses_ = 0; ///< sum since the last average
    typename Communicator::clock::time_point start_ = world_.now();
};

} // namespace tutti::training

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "interrupt.hpp"
#include "layer_pass.hpp"
#include "learning_rates.hpp"
#include "make_job.hpp"
#include "network/cross_entropy.hpp"
#include "network/mlp.hpp"
#include "pictures.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <optional>

namespace tutti::tools {

/// One rank of a synchronous data-parallel training: its share of the pictures, and its part of a job. The weights stay
/// equal on all ranks, bit by bit, because all start from one seed and descend along the same averaged gradients.
template <class Communicator>
class trainer {
public:
    trainer(const Communicator& world, const train_settings& settings)
        : world_(world), settings_(settings), pictures_(world, settings), network_(neural::mlp(widths())),
          job_(make_job(world, settings, layer_pass::parameters_of(network_), first_weights())), pass_(network_, *job_),
          rates_(learning_rates(settings, pictures_.steps())) {}

    [[nodiscard]] const pictures& data() const noexcept { return pictures_; }
    [[nodiscard]] std::size_t parameters() const noexcept { return network_.parameters(); }
    /// Steps that the weights have seen.
    [[nodiscard]] std::size_t steps() { return job_->steps(); }

    /// Goes through the rest of the epoch, then tests. Nothing where SIGINT came to one of the ranks, after the step in
    /// which all know of it. told(step) hears of each step. Collective.
    [[nodiscard]] std::optional<epoch_result> run(const auto& told) {
        const auto start = clock::now();
        const training::overlap before = job_->hidden();
        const std::size_t epoch = job_->steps() / pictures_.steps() + 1;
        pictures_.shuffle(epoch);
        neural::score trained;
        for (std::size_t step = job_->steps() % pictures_.steps(); step < pictures_.steps(); ++step) {
            told(step);
            if (!train_step(step, trained)) return {};
        }
        epoch_result result = judged(trained, test());
        result.epoch = epoch;
        result.weights_hash = hash();
        result.weights_agree = agree(result.weights_hash);
        result.seconds = std::chrono::duration<double>(clock::now() - start).count();
        const training::overlap& now = job_->hidden();
        result.exposed_seconds = (now.exposed - before.exposed).count();
        result.under_way_least = (now.under_way_least - before.under_way_least).count();
        result.under_way_most = (now.under_way_most - before.under_way_most).count();
        const training::bytes_held held = job_->bytes();
        result.bytes = {held.parameters, held.gradients, held.states};
        return result;
    }

    void save() { job_->save(settings_.checkpoint, settings_.seed); }
    /// Throws std::invalid_argument where the checkpoint has another seed.
    void restore() {
        const std::uint64_t seed = job_->restore(settings_.checkpoint);
        if (seed != settings_.seed)
            throw std::invalid_argument(settings_.checkpoint + " was made with --seed " + std::to_string(seed));
    }

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] std::vector<std::size_t> widths() const {
        std::vector<std::size_t> widths{pictures_.pixels()};
        widths.insert(widths.end(), settings_.hidden.begin(), settings_.hidden.end());
        widths.push_back(10);
        return widths;
    }
    [[nodiscard]] std::vector<float> first_weights() const {
        std::vector<float> weights(network_.parameters());
        network_.initialise(network_.all(), weights, settings_.seed);
        return weights;
    }

    // Whether all go on.
    [[nodiscard]] bool train_step(std::size_t step, neural::score& total) {
        std::array<int, 1> stops{interrupt_note::noted()};
        auto agreement = world_.async().allreduce(stops, maximum);
        // The average over the ranks of P/batch times each rank's sum is the mean over the batch, however it is spread.
        const float scale = static_cast<float>(world_.size()) / static_cast<float>(settings_.batch);
        job_->clear();
        for (std::size_t m = 0; m < settings_.microbatches; ++m) {
            job_->reduces(m + 1 == settings_.microbatches);
            pictures_.take_microbatch(step, m, settings_.microbatches);
            pass_.forward(pictures_.inputs(), outputs());
            total += neural::judge_and_slope(outputs(), pictures_.labels(), scale);
            pass_.backward(pictures_.inputs(), outputs());
            job_->finish();
        }
        if (settings_.clip > 0) job_->clip(settings_.clip);
        job_->step(rates_(job_->steps()));
        agreement.wait();
        return stops[0] == 0;
    }

    [[nodiscard]] neural::matrix outputs() {
        outputs_.resize(pictures_.labels().size() * 10);
        return {outputs_.data(), pictures_.labels().size(), 10};
    }

    // All ranks make as many passes, since weights may have to be gathered.
    [[nodiscard]] neural::score test() {
        neural::score total;
        constexpr std::size_t at_once = 256;
        for (std::size_t first = 0; first < pictures_.most_tests(); first += at_once) {
            pictures_.take_tests(first, at_once);
            pass_.forward(pictures_.inputs(), outputs());
            total += neural::judge(outputs(), pictures_.labels());
        }
        return total;
    }

    [[nodiscard]] epoch_result judged(const neural::score& trained, const neural::score& tested) const {
        std::array<double, 5> totals{trained.loss, static_cast<double>(trained.right),
                                     static_cast<double>(trained.count), static_cast<double>(tested.right),
                                     static_cast<double>(tested.count)};
        world_.allreduce(totals, sum);
        epoch_result result;
        result.loss = totals[0] / totals[2];
        result.train_accuracy = totals[1] / totals[2];
        result.test_accuracy = totals[3] / totals[4];
        return result;
    }

    // FNV-1a over the bits of the weights.
    [[nodiscard]] std::uint64_t hash() {
        std::uint64_t h = 0xcbf29ce484222325;
        pass_.each_layer([&h](std::span<const float> weights) {
            for (const float w : weights) h = (h ^ std::bit_cast<std::uint32_t>(w)) * 0x100000001b3;
        });
        return h;
    }
    [[nodiscard]] bool agree(std::uint64_t mine) const {
        std::array<std::uint64_t, 1> least{mine}, most{mine};
        world_.allreduce(least, minimum);
        world_.allreduce(most, maximum);
        return least == most;
    }

    const Communicator& world_;
    const train_settings& settings_;
    pictures pictures_;
    const neural::network network_;
    const std::unique_ptr<training_job> job_;
    layer_pass pass_;
    const std::function<double(std::size_t)> rates_;
    std::vector<float> outputs_; // ten for each picture; on the way back, the loss's gradient by them
};

} // namespace tutti::tools

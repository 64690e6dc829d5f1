// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/choices.hpp"
#include "dataset.hpp"
#include "digits.hpp"
#include "network/cross_entropy.hpp"
#include "network/mlp.hpp"
#include "train.hpp"

#include <collectives/collectives.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::tools {

inline constexpr auto drawn_digits = "drawn"; ///< in place of a directory: see digits.hpp

/// One rank of a synchronous data-parallel training: its share of the pictures, and a copy of the network that stays
/// equal to everybody else's, bit by bit, because all start from one seed and descend along the same averaged
/// gradients.
template <class Communicator>
class trainer {
public:
    trainer(const Communicator& world, const train_settings& settings)
        : world_(world), settings_(settings), data_(agreed_data()), training_(load(true)), testing_(load(false)),
          network_(neural::mlp(widths())), weights_(network_.parameters()), gradients_(network_.parameters()),
          order_(training_.size()),
          how_(choices(settings.algorithm, operation::allreduce, world.size()).front().algorithm) {
        network_.initialise(network_.all(), weights_, settings.seed);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto totals =
            sum_over_ranks({static_cast<double>(training_.size()), static_cast<double>(testing_.size())});
        pictures_ = static_cast<std::size_t>(totals[0]);
        // The smallest share decides, so that every rank takes part in every step.
        steps_ = pictures_ / static_cast<std::size_t>(world.size()) / most_per_step();
        if (steps_ == 0) throw std::runtime_error("there are fewer training pictures than a batch has");
        if (totals[1] == 0) throw std::runtime_error("there are no test pictures");
    }

    /// Training pictures over all ranks.
    [[nodiscard]] std::size_t pictures() const noexcept { return pictures_; }
    /// The directory that they come from, or "drawn".
    [[nodiscard]] const std::string& data() const noexcept { return data_; }
    [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
    [[nodiscard]] std::size_t parameters() const noexcept { return network_.parameters(); }

    /// One pass over the pictures, then a test. Collective.
    epoch_result run(std::size_t epoch) {
        const auto start = clock::now();
        communication_ = {};
        shuffle(epoch);
        neural::score trained;
        for (std::size_t step = 0; step < steps_; ++step) trained += train_step(step);
        const neural::score tested = test();
        const auto totals =
            sum_over_ranks({trained.loss, static_cast<double>(trained.right), static_cast<double>(trained.count),
                            static_cast<double>(tested.right), static_cast<double>(tested.count)});
        epoch_result result;
        result.epoch = epoch;
        result.loss = totals[0] / totals[2];
        result.train_accuracy = totals[1] / totals[2];
        result.test_accuracy = totals[3] / totals[4];
        result.weights_hash = hash();
        result.weights_agree = agree(result.weights_hash);
        result.seconds = seconds(clock::now() - start);
        result.communication_seconds = seconds(communication_);
        return result;
    }

private:
    using clock = std::chrono::steady_clock;
    static double seconds(clock::duration d) { return std::chrono::duration<double>(d).count(); }

    // Unless the command line says: Fashion-MNIST where the hosts of all ranks have it, else drawn digits.
    [[nodiscard]] std::string agreed_data() const {
        if (!settings_.data.empty()) return settings_.data;
        if (settings_.pictures != 0) return drawn_digits;
        std::array<int, 1> there{has_digits(fashion_mnist)};
        world_.allreduce(there, minimum);
        return there[0] == 1 ? fashion_mnist : drawn_digits;
    }

    [[nodiscard]] dataset load(bool training) const {
        const share part{static_cast<std::size_t>(world_.rank()), static_cast<std::size_t>(world_.size())};
        if (data_ != drawn_digits) return read_digits(data_, training, part);
        const std::size_t pictures = settings_.pictures != 0 ? settings_.pictures : 16000;
        return draw_digits(training ? pictures : pictures / 8, mix(settings_.seed, training ? 1 : 2), part);
    }

    [[nodiscard]] std::vector<std::size_t> widths() const {
        std::vector<std::size_t> widths{training_.pixels};
        widths.insert(widths.end(), settings_.hidden.begin(), settings_.hidden.end());
        widths.push_back(10);
        return widths;
    }

    // A batch is spread over the ranks as evenly as can be, the first ones taking one picture more.
    [[nodiscard]] std::size_t per_step() const {
        return size_of(share{static_cast<std::size_t>(world_.rank()), static_cast<std::size_t>(world_.size())},
                       settings_.batch);
    }
    [[nodiscard]] std::size_t most_per_step() const {
        return size_of(share{0, static_cast<std::size_t>(world_.size())}, settings_.batch);
    }

    void shuffle(std::size_t epoch) {
        random_source random{mix(mix(settings_.seed, epoch), static_cast<std::uint64_t>(world_.rank()))};
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    }

    // Sets the inputs and labels of `count` pictures, and makes room for what the network gives.
    template <class Index>
    void take(const dataset& from, std::size_t count, Index&& index) {
        inputs_.resize(count * from.pixels);
        labels_.resize(count);
        outputs_.resize(count * 10);
        for (std::size_t i = 0; i < count; ++i) {
            const std::span<const std::uint8_t> image = from.image(index(i));
            std::transform(image.begin(), image.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(i * from.pixels),
                           [](std::uint8_t grey) { return static_cast<float>(grey) / 255; });
            labels_[i] = from.labels[index(i)];
        }
    }
    [[nodiscard]] neural::const_matrix inputs() const { return {inputs_.data(), labels_.size(), training_.pixels}; }
    [[nodiscard]] neural::matrix outputs() { return {outputs_.data(), labels_.size(), 10}; }

    neural::score train_step(std::size_t step) {
        const std::size_t count = per_step();
        take(training_, count, [&](std::size_t i) { return order_[step * count + i]; });
        network_.forward(network_.all(), weights_, inputs(), outputs(), kept_);
        // The average over the ranks of P/batch times each rank's sum is the mean over the batch, however it is spread.
        const float scale = static_cast<float>(world_.size()) / static_cast<float>(settings_.batch);
        const neural::score result = neural::judge_and_slope(outputs(), labels_, scale);
        std::ranges::fill(gradients_, 0.f);
        network_.backward(network_.all(), weights_, inputs(), kept_, outputs(), {}, gradients_);
        average(gradients_);
        const auto rate = static_cast<float>(settings_.learning_rate);
        for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] -= rate * gradients_[i];
        return result;
    }

    void average(std::span<float> gradients) {
        const auto start = clock::now();
        if (how_) {
            world_.allreduce(gradients, tutti::average, *how_);
        } else {
            world_.allreduce(gradients, tutti::average);
        }
        communication_ += clock::now() - start;
    }

    neural::score test() {
        neural::score total;
        constexpr std::size_t at_once = 256;
        for (std::size_t first = 0; first < testing_.size(); first += at_once) {
            const std::size_t count = std::min(at_once, testing_.size() - first);
            take(testing_, count, [&](std::size_t i) { return first + i; });
            network_.forward(network_.all(), weights_, inputs(), outputs(), kept_);
            total += neural::judge(outputs(), labels_);
        }
        return total;
    }

    template <std::size_t N>
    [[nodiscard]] std::array<double, N> sum_over_ranks(const double (&values)[N]) const {
        std::array<double, N> totals;
        std::copy_n(values, N, totals.begin());
        world_.allreduce(totals, sum);
        return totals;
    }

    // FNV-1a over the bits of the weights.
    [[nodiscard]] std::uint64_t hash() const {
        std::uint64_t h = 0xcbf29ce484222325;
        for (float w : weights_) h = (h ^ std::bit_cast<std::uint32_t>(w)) * 0x100000001b3;
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
    const std::string data_;
    const dataset training_;
    const dataset testing_;
    const neural::network network_;
    std::vector<float> weights_;
    std::vector<float> gradients_;
    std::vector<std::size_t> order_;
    const std::optional<algorithm::any> how_;
    std::size_t pictures_ = 0;
    std::size_t steps_ = 0;            // of an epoch
    std::vector<float> inputs_;        // of the pictures at hand
    std::vector<std::uint8_t> labels_; // likewise
    std::vector<float> outputs_;       // ten for each; on the way back, the loss's gradient by them
    neural::saved kept_;
    clock::duration communication_{};
};

} // namespace tutti::tools

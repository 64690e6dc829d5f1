// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layer_pass.hpp"
#include "network/cross_entropy.hpp"

#include <training/optimizer.hpp>

#include <functional>
#include <utility>

namespace tutti::tools {

/// How many updates old the weights are that chunk c of a model uses for a microbatch. In the beginning, where there
/// were fewer updates, they are the first ones.
struct weight_ages {
    std::function<int(std::size_t chunk)> forward;
    std::function<int(std::size_t chunk)> backward;
    int most = 0; ///< of all of these

    /// Synchronous training.
    [[nodiscard]] static weight_ages none() { return same(0); }
    /// Every gradient is that of one model, `age` updates old: PipeDream with vertical sync, of age + 1 stages.
    [[nodiscard]] static weight_ages same(int age) {
        const auto all = [age](std::size_t) { return age; };
        return {all, all, age};
    }
    /// PipeDream: stage s of S is S-1-s updates behind, and keeps the weights of a forward for its backward.
    [[nodiscard]] static weight_ages pipedream(int stages) {
        const auto all = [stages](std::size_t s) { return stages - 1 - static_cast<int>(s); };
        return {all, all, stages - 1};
    }
    /// The same pipeline that keeps none: a backward uses the latest weights.
    [[nodiscard]] static weight_ages without_stashing(int stages) {
        auto all = pipedream(stages);
        all.backward = [](std::size_t) { return 0; };
        return all;
    }
};

/// One worker that trains a whole network with weights as old as a pipeline's would be, one microbatch after the other,
/// with an update after each. It shows what a schedule does to learning, without its workers.
template <training::update_rule Rule>
class stale_network {
public:
    /// The network outlives this. Gradients of a row's loss are multiplied by `scale`.
    stale_network(const neural::network& network, std::vector<neural::layer_range> chunks, weight_ages ages,
                  float scale, Rule rule, std::uint64_t seed)
        : network_(network), chunks_(std::move(chunks)), ages_(std::move(ages)), scale_(scale),
          optimizer_(layer_pass::parameters_of(network, network.all()), rule), gradients_(network.parameters()),
          versions_(static_cast<std::size_t>(ages_.most) + 1, std::vector<float>(network.parameters())),
          kept_(chunks_.size()), passed_(chunks_.size()) {
        network.initialise(network.all(), versions_[0], seed);
    }

    neural::score train(neural::const_matrix inputs, std::span<const std::uint8_t> labels, double rate) {
        const neural::matrix output = pass(inputs, ages_.forward);
        const neural::score result = neural::judge_and_slope(output, labels, scale_);
        backward(inputs, output);
        update(rate);
        return result;
    }
    /// By the latest weights.
    neural::score test(neural::const_matrix inputs, std::span<const std::uint8_t> labels) {
        return neural::judge(pass(inputs, [](std::size_t) { return 0; }), labels);
    }

    /// The latest, of all layers.
    [[nodiscard]] std::span<const float> weights() { return at(0); }
    /// Version numbers begin anew: what is used next is the latest, however old it should be.
    void begin_anew() {
        std::swap(versions_[0], at(0));
        updates_ = 0;
    }

private:
    [[nodiscard]] std::vector<float>& at(int age) {
        const std::size_t version = updates_ - std::min(updates_, static_cast<std::size_t>(age));
        return versions_[version % versions_.size()];
    }
    [[nodiscard]] std::span<float> of_chunk(std::vector<float>& all, std::size_t c) const {
        return std::span(all).subspan(network_.offset(chunks_[c].first), network_.parameters(chunks_[c]));
    }
    [[nodiscard]] neural::matrix passed(std::size_t c, std::size_t rows) {
        const std::size_t columns = network_.columns(chunks_[c].last);
        passed_[c].resize(rows * columns);
        return {passed_[c].data(), rows, columns};
    }

    neural::matrix pass(neural::const_matrix input, const std::function<int(std::size_t)>& age) {
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            const neural::matrix output = passed(c, input.rows);
            network_.forward(chunks_[c], of_chunk(at(age(c)), c), input, output, kept_[c]);
            input = output;
        }
        return passed(chunks_.size() - 1, input.rows);
    }
    void backward(neural::const_matrix inputs, neural::const_matrix slope) {
        std::vector<float> slopes, next;
        for (std::size_t c = chunks_.size(); c-- > 0;) {
            const neural::const_matrix input = c == 0 ? inputs : passed(c - 1, inputs.rows);
            next.resize(c == 0 ? 0 : input.rows * input.columns);
            const neural::matrix result =
                c == 0 ? neural::matrix{} : neural::matrix{next.data(), input.rows, input.columns};
            network_.backward(chunks_[c], of_chunk(at(ages_.backward(c)), c), input, kept_[c], slope, result,
                              of_chunk(gradients_, c));
            slopes.swap(next);
            slope = result;
        }
    }
    void update(double rate) {
        const std::vector<float>& before = at(0);
        ++updates_;
        if (&before != &at(0)) at(0) = before;
        optimizer_.step(rate, std::span(at(0)), std::span<const float>(gradients_));
        std::ranges::fill(gradients_, 0.F);
    }

    const neural::network& network_;
    const std::vector<neural::layer_range> chunks_;
    const weight_ages ages_;
    const float scale_;
    training::optimizer<Rule> optimizer_;
    std::vector<float> gradients_;
    std::vector<std::vector<float>> versions_; // version v in place v modulo their number
    std::vector<neural::saved> kept_;          // by chunk
    std::vector<std::vector<float>> passed_;   // the output of each chunk
    std::size_t updates_ = 0;
};

} // namespace tutti::tools

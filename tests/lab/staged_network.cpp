// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/staged_network.hpp"

#include "../../tools/lab/train/chunks.hpp"
#include "../../tools/lab/train/network/mlp.hpp"
#include "../../tools/lab/train/network/transformer.hpp"
#include "../../tools/lab/train/stale_network.hpp"

#include <training/pipeline/all.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

using namespace tutti::tools;

namespace {

namespace pipes = tutti::training::pipeline;
using tutti::test::expect;
using tutti::test::run_world;
using rule_of_stages = tutti::training::momentum;

constexpr std::size_t staged_rows = 4; // of a microbatch
constexpr double staged_rate = 0.1;

// Microbatches of a tiny network, from a seed.
struct staged_case {
    neural::network network;
    int microbatches;
    std::vector<std::vector<float>> inputs;
    std::vector<std::vector<std::uint8_t>> labels;

    staged_case(neural::network of, int count, std::size_t kinds) : network(std::move(of)), microbatches(count) {
        random_source random{11};
        for (int m = 0; m < count; ++m) {
            inputs.emplace_back(staged_rows * network.columns(0));
            for (float& v : inputs.back()) v = static_cast<float>(random.below(kinds));
            labels.emplace_back(staged_rows);
            for (std::uint8_t& l : labels.back()) l = static_cast<std::uint8_t>(random.below(kinds));
        }
    }
    [[nodiscard]] labelled batch(int m) const {
        const auto i = static_cast<std::size_t>(m);
        return {{inputs[i].data(), staged_rows, network.columns(0)}, labels[i]};
    }
    [[nodiscard]] float scale() const { return 1.F / static_cast<float>(staged_rows * inputs.size()); }
};

staged_case small_mlp(int microbatches) {
    return {neural::mlp({6, 5, 7, 5, 6, 4}), microbatches, 4}; // nine layers
}

struct trained_weights {
    std::vector<float> weights;
    double loss = 0;
};

// One worker, all layers at once, an update after all microbatches.
trained_weights serially(const staged_case& c, int steps) {
    const neural::network& n = c.network;
    trained_weights result{std::vector<float>(n.parameters()), 0};
    n.initialise(n.all(), result.weights, 3);
    tutti::training::optimizer<rule_of_stages> by(layer_pass::parameters_of(n, n.all()), {});
    std::vector<float> output(staged_rows * n.columns(n.size()));
    neural::saved kept;
    for (int step = 0; step < steps; ++step) {
        std::vector<float> gradients(n.parameters());
        result.loss = 0;
        for (int m = 0; m < c.microbatches; ++m) {
            const neural::matrix out{output.data(), staged_rows, n.columns(n.size())};
            n.forward(n.all(), result.weights, c.batch(m).inputs, out, kept);
            result.loss += neural::judge_and_slope(out, c.batch(m).labels, c.scale()).loss;
            n.backward(n.all(), result.weights, c.batch(m).inputs, kept, out, {}, gradients);
        }
        by.step(staged_rate, std::span(result.weights), std::span<const float>(gradients));
    }
    return result;
}

trained_weights with_ages(const staged_case& c, std::vector<neural::layer_range> chunks, weight_ages ages, int steps) {
    stale_network<rule_of_stages> one(c.network, std::move(chunks), std::move(ages), c.scale(), {}, 3);
    trained_weights result;
    for (int step = 0; step < steps; ++step) {
        result.loss = 0;
        for (int m = 0; m < c.microbatches; ++m)
            result.loss += one.train(c.batch(m).inputs, c.batch(m).labels, staged_rate).loss;
        one.begin_anew();
    }
    result.weights.assign(one.weights().begin(), one.weights().end());
    return result;
}

// Trains by a schedule, and compares losses and weights bit by bit.
void expect_staged(const staged_case& c, std::string_view schedule, const pipes::shape& of, int steps,
                   const trained_weights& wanted) {
    INFO(schedule << ", " << of.stages << " stages, " << of.microbatches << " microbatches, " << of.chunks);
    const auto chunks = chunks_of_layers(c.network, static_cast<std::size_t>(chunks_of(of)));
    run_world(of.stages, [&](const tutti::test::communicator& world) {
        staged_network<tutti::test::communicator, rule_of_stages> own(world, pipes::by_name(schedule).write(of),
                                                                      c.network, chunks, staged_rows, c.scale(), {}, 3);
        double loss = 0;
        for (int step = 0; step < steps; ++step) loss = own.run([&](int m) { return c.batch(m); }, staged_rate).loss;
        const bool has_end = (chunks_of(of) - 1) % of.stages == world.rank();
        expect(loss == (has_end ? wanted.loss : 0), "the loss of one worker");
        std::size_t k = 0;
        for (auto i = static_cast<std::size_t>(world.rank()); i < chunks.size();
             i += static_cast<std::size_t>(of.stages))
            expect(std::ranges::equal(own.stage().weights(k++),
                                      std::span(wanted.weights)
                                          .subspan(c.network.offset(chunks[i].first), c.network.parameters(chunks[i]))),
                   "the weights of one worker");
    });
}

} // namespace

// Products have the same shapes, and gradients are added in the same order: so bits are equal.
TEST_CASE("stages of a network end with the bits of one worker, by schedules that wait for all gradients") {
    for (const int microbatches : {1, 5}) {
        const staged_case c = small_mlp(microbatches);
        const trained_weights wanted = serially(c, 3);
        for (const std::string_view schedule : {"gpipe", "one_f_one_b", "interleaved"})
            for (const int stages : {1, 2, 4}) expect_staged(c, schedule, {stages, microbatches, 1}, 3, wanted);
        expect_staged(c, "interleaved", {2, microbatches, 2}, 3, wanted);
        expect_staged(c, "interleaved", {3, microbatches, 3}, 3, wanted);
    }
}

TEST_CASE("stages of a transformer end with the bits of one worker") {
    const staged_case c{neural::transformer({4, 8, 2, 1, 2}), 4, 4};
    expect_staged(c, "one_f_one_b", {2, 4, 1}, 2, serially(c, 2));
}

TEST_CASE("pipelines with old weights end with the bits of one worker that uses weights as old") {
    const staged_case c = small_mlp(7);
    for (const int stages : {1, 2, 3, 4}) {
        const auto chunks = chunks_of_layers(c.network, static_cast<std::size_t>(stages));
        expect_staged(c, "pipedream", {stages, 7, 1}, 2, with_ages(c, chunks, weight_ages::pipedream(stages), 2));
        expect_staged(c, "pipedream_vertical_sync", {stages, 7, 1}, 2,
                      with_ages(c, chunks, weight_ages::same(stages - 1), 2));
    }
}

TEST_CASE("the age of weights changes what is learnt, and none is plain descent") {
    const staged_case c = small_mlp(7);
    const auto chunks = chunks_of_layers(c.network, 3);
    const auto losses = [&](weight_ages ages) { return with_ages(c, chunks, std::move(ages), 2).loss; };
    const double plain = losses(weight_ages::none());
    CHECK(plain == losses(weight_ages::pipedream(1)));
    CHECK(plain == losses(weight_ages::without_stashing(1)));
    CHECK(plain != losses(weight_ages::same(1)));
    CHECK(losses(weight_ages::pipedream(3)) != losses(weight_ages::without_stashing(3)));
    CHECK(losses(weight_ages::pipedream(3)) != losses(weight_ages::same(2)));
}

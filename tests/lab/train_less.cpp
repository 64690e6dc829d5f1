// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/trainer.hpp"

#include <collectives/simulated_machine.hpp>
#include <transport/simulated.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <cmath>

namespace tutti::tools {
namespace {

constexpr int ranks = 4;

/// Epochs of four steps.
train_settings of_mode(const std::string& mode) {
    train_settings s;
    s.mode = mode;
    s.data = drawn_data;
    s.pictures = 256;
    s.batch = 64;
    s.hidden = {16};
    s.algorithm = "ring";
    s.optimizer = "sgd";
    s.schedule = "constant";
    s.epochs = 3;
    return s;
}

std::vector<epoch_result> epochs_of(const train_settings& s) {
    std::vector<epoch_result> all;
    test::run_world(ranks, [&](const test::communicator& world) {
        trainer<test::communicator> one{world, s};
        for (std::size_t epoch = 0; epoch < s.epochs; ++epoch) {
            const auto result = one.run([](std::size_t, double) {});
            test::expect(result && result->weights_agree, "equal weights, or equal averages");
            if (world.rank() == 0) all.push_back(*result);
        }
    });
    return all;
}

/// Losses with sums in another order: see train_modes.cpp.
void expect_near(const std::vector<epoch_result>& found, const std::vector<epoch_result>& wanted) {
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(std::abs(found[i].loss - wanted[i].loss) < 1e-4 * wanted[i].loss);
        CHECK(std::abs(found[i].test_loss - wanted[i].test_loss) < 1e-4 * wanted[i].test_loss);
    }
}

/// In virtual time, where a step's passes take 100 ms: after which steps of an epoch all ranks have met.
std::vector<std::size_t> meetings_of(train_settings s) {
    std::vector<std::size_t> all;
    s.batch = 8;
    const auto world = transport::simulated_world::create(simulated_options_of(
        tutti::model::uniform({.latency_s = 1e-5, .overhead_s = 1e-6, .gap_s_per_byte = 1e-9}), ranks, 1));
    world->run([&](transport::simulated end) {
        const communicator among{std::move(end)};
        trainer<communicator<transport::simulated>> one{
            among,
            s,
            {.of_step = [](std::size_t) { return std::chrono::milliseconds(100); },
             .passes = [&](std::chrono::nanoseconds time, const auto& work) { world->compute(time, work); }}};
        static_cast<void>(one.run([&](std::size_t steps, double) {
            if (among.rank() == 0) all.push_back(steps);
        }));
    });
    return all;
}

} // namespace

TEST_CASE("local steps that are averaged each time have the losses of averaged gradients") {
    const std::vector<epoch_result> wanted = epochs_of(of_mode("ddp"));
    CHECK(wanted.back().loss < wanted.front().loss);
    CHECK(!wanted.front().consensus_distance);
    train_settings s = of_mode("local");
    for (const std::string period : {"1", "post-local:100:9", "adacomm:1:1"}) {
        s.period = period;
        const std::vector<epoch_result> found = epochs_of(s);
        expect_near(found, wanted);
        CHECK(found.back().consensus_distance == 0.0);
    }
}

TEST_CASE("ranks that step alone are apart, and their average learns") {
    train_settings s = of_mode("local");
    s.trace = "none"; // calls go through the trace, which is not written
    for (const std::string period : {"3", "post-local:5:3", "adacomm:3:1000"}) {
        s.period = period;
        const std::vector<epoch_result> found = epochs_of(s);
        CHECK(found.back().test_loss < found.front().test_loss);
        const bool is_late = period == "post-local:5:3"; // averages after steps 1 to 5, 8 and 11 of 12, else each third
        CHECK((found.front().consensus_distance.value() > 0) == !is_late);
        CHECK((found.back().consensus_distance.value() > 0) == is_late);
    }
    s.period = "3";
    const double plain = epochs_of(s).back().loss;
    s.slow_momentum = 0.6;
    CHECK(epochs_of(s).back().loss != plain);
}

TEST_CASE("gossip learns on each graph, and its ranks stay near to each other") {
    train_settings s = of_mode("gossip");
    for (const std::string graph : {"ring", "torus", "exponential", "one-peer"}) {
        s.graph = graph;
        const std::vector<epoch_result> found = epochs_of(s);
        INFO(graph);
        CHECK(found.back().test_loss < found.front().test_loss);
        CHECK(found.back().consensus_distance.value() > 0);
        CHECK(found.back().consensus_distance.value() < 0.5);
    }
}

TEST_CASE("threads that share weights without locks learn, and test the same weights") {
    train_settings s = of_mode("hogwild");
    s.learning_rate = 0.5;
    const std::vector<epoch_result> found = epochs_of(s);
    CHECK(found.back().test_loss < found.front().test_loss);
    CHECK(!found.back().consensus_distance);
}

TEST_CASE("compressed gradients learn, with equal weights and fewer bytes") {
    const std::vector<epoch_result> plain = epochs_of(of_mode("ddp"));
    CHECK(!plain.front().sent_bytes);
    train_settings s = of_mode("ddp");
    s.compress = "top-k:1";
    expect_near(epochs_of(s), plain);
    s.compress = "random-k:1";
    expect_near(epochs_of(s), plain);
    const std::size_t weights = plain.front().bytes[1] / sizeof(float);
    for (const std::string how : {"top-k:0.05", "random-k:0.1", "qsgd:8", "qsgd:4", "sign", "power-sgd:2"}) {
        s.compress = how;
        const std::vector<epoch_result> found = epochs_of(s);
        INFO(how);
        CHECK(found.back().test_loss < found.front().test_loss);
        CHECK(found.front().sent_bytes.value() > 0);
        CHECK(found.front().sent_bytes.value() < 4 * 6 * weights); // four steps of an allreduce by ring
    }
}

TEST_CASE("AdaComm shrinks its period by virtual time, and all meet where weights are averaged") {
    train_settings s = of_mode("local");
    s.period = "6";
    CHECK(meetings_of(s) == std::vector<std::size_t>{5, 11, 17, 23, 29});
    s.period = "adacomm:6:1000";
    CHECK(meetings_of(s) == std::vector<std::size_t>{5, 11, 17, 23, 29});
    s.period = "adacomm:6:0.5"; // each average is later than that
    const std::vector<std::size_t> found = meetings_of(s);
    CHECK(found.size() > 10);
    CHECK(found[0] == 5);
    CHECK(found.back() == 31); // a period of 1
    CHECK(found == meetings_of(s));
}

TEST_CASE("ways to communicate less that are none are refused") {
    for (const std::string wrong :
         {"", "0", "x", "post-local:3", "post-local:3:0", "adacomm:4:-1", "adacomm:4:1:2", "1.5"})
        CHECK_THROWS_AS(averaging_period_of(wrong), std::invalid_argument);
    for (const std::string wrong :
         {"", "top-k", "top-k:0", "top-k:1.1", "qsgd:5", "sign:1", "power-sgd:0", "power-sgd:2x"})
        CHECK_THROWS_AS(compressor_of(wrong, 1), std::invalid_argument);
    CHECK(std::get<training::every>(averaging_period_of("16")).steps == 16);
    CHECK(std::get<training::post_local>(averaging_period_of("post-local:50:8")).until == 50);
}

} // namespace tutti::tools

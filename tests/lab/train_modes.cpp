// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/trainer.hpp"

#include "sentences.hpp"

#include "support/catch.hpp"
#include "support/world.hpp"

#include <cmath>

using namespace tutti::tools;

namespace {

// An epoch is one step of eight sequences, so that each loss is of one step.
train_settings step_by_step(const std::string& mode) {
    train_settings s;
    s.model = "transformer";
    s.data = sentences_file();
    s.mode = mode;
    s.algorithm = "ring";
    s.optimizer = "momentum";
    s.schedule = "constant";
    s.sequences = s.batch = 8;
    s.context = 8;
    s.width = 16;
    s.layers = 2;
    s.epochs = 6;
    return s;
}

// What each step came to.
std::vector<epoch_result> trained(const train_settings& s, int ranks) {
    std::vector<epoch_result> all;
    tutti::test::run_world(ranks, [&](const tutti::test::communicator& world) {
        trainer<tutti::test::communicator> one{world, s};
        for (std::size_t epoch = 0; epoch < s.epochs; ++epoch) {
            const auto result = one.run([](std::size_t, double) {});
            tutti::test::expect(result && result->weights_agree, "replicas have the same weights");
            if (world.rank() == 0) all.push_back(*result);
        }
    });
    return all;
}

// Sums in another order. None has more than 64 terms: rows of a batch, or columns of a layer. So each rounds by less
// than 64 * 2^-24 of its terms, and a step passes on a small part of that. Seen were 2e-7. A gradient that is lost or
// counts twice changes a loss by more than 1e-3.
void expect_near_losses(const train_settings& s, int ranks, const std::vector<epoch_result>& serial) {
    INFO(s.mode << " on " << ranks << " ranks, " << s.stages << " stages of " << s.tensor);
    const std::vector<epoch_result> all = trained(s, ranks);
    REQUIRE(all.size() == serial.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(std::abs(all[i].loss - serial[i].loss) < 64 * 0x1p-24 * serial[i].loss);
        CHECK(std::abs(all[i].test_loss - serial[i].test_loss) < 64 * 0x1p-24 * serial[i].test_loss);
    }
}

} // namespace

TEST_CASE("a transformer has the losses of a single rank in each mode, step by step") {
    const std::vector<epoch_result> serial = trained(step_by_step("ddp"), 1);
    CHECK(serial.front().loss > serial.back().loss + 0.1);
    for (const std::string mode : {"ddp", "zero1", "zero2", "zero3", "tensor"})
        expect_near_losses(step_by_step(mode), 4, serial);
    train_settings s = step_by_step("tensor");
    s.tensor = 2;
    expect_near_losses(s, 4, serial);
    s = step_by_step("3d");
    expect_near_losses(s, 8, serial);
    s.pipeline = "interleaved";
    s.stages = 2, s.tensor = 1, s.data_parallel = 2;
    expect_near_losses(s, 4, serial);
}

TEST_CASE("a pipeline has the weights of a single rank, bit by bit, by each schedule that keeps their order") {
    train_settings s = step_by_step("ddp");
    s.microbatches = 4;
    s.clip = 1;
    const std::uint64_t serial = trained(s, 1).back().weights_hash;
    s.mode = "pipeline";
    for (const std::string schedule : {"gpipe", "one_f_one_b", "interleaved"})
        for (const int stages : {2, 3}) {
            s.pipeline = schedule;
            INFO(schedule << " of " << stages << " stages");
            CHECK(trained(s, stages).back().weights_hash == serial);
        }
}

TEST_CASE("clipping counts the weights of all parts once") {
    train_settings s = step_by_step("ddp");
    s.clip = 0.1;
    const std::vector<epoch_result> serial = trained(s, 1);
    s.mode = "3d";
    expect_near_losses(s, 4, serial);
}

TEST_CASE("a perceptron that is cut learns as a whole one") {
    train_settings s = step_by_step("ddp");
    s.model = "mlp";
    s.data = drawn_data;
    s.pictures = 64;
    s.batch = 64;
    s.hidden = {16, 8, 12}; // two pairs
    const std::vector<epoch_result> serial = trained(s, 1);
    for (const std::string mode : {"tensor", "3d"}) {
        s.mode = mode;
        expect_near_losses(s, 4, serial);
    }
    s.hidden = {16, 8}; // one layer is left over
    s.mode = "ddp";
    const std::vector<epoch_result> other = trained(s, 1);
    s.mode = "tensor";
    expect_near_losses(s, 2, other);
}

TEST_CASE("ranks that have no grid are told why") {
    train_settings s = step_by_step("3d");
    CHECK(grid_of(s, 8).data == 2);
    CHECK_THROWS_AS(grid_of(s, 6), std::invalid_argument);
    s.data_parallel = 3;
    CHECK_THROWS_AS(grid_of(s, 8), std::invalid_argument);
    CHECK(grid_of(s, 12).tensor == 2);
    s = step_by_step("pipeline");
    CHECK(grid_of(s, 4).stages == 4);
    s.data_parallel = 2;
    CHECK(grid_of(s, 4).stages == 2);
    s.mode = "ddp";
    s.stages = 2;
    CHECK_THROWS_AS(grid_of(s, 4), std::invalid_argument);
}

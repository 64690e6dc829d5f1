// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/pictures.hpp"
#include "../../tools/lab/train/text.hpp"

#include "sentences.hpp"

#include "support/catch.hpp"
#include "support/world.hpp"

#include <map>
#include <mutex>

using namespace tutti::tools;
using tutti::test::communicator;
using tutti::test::expect;
using tutti::test::run_world;

namespace {

/// What all replicas take in an epoch.
struct taken {
    std::map<std::vector<float>, int> inputs;      // how often each
    std::vector<std::size_t> of_step, most, least; // examples, by step; of the replica that has most and least
};

template <class Task>
taken epoch_of(const train_settings& s, int ranks, const grid_shape& shape) {
    taken all;
    std::mutex mutex; // guards all
    run_world(ranks, [&](const communicator& world) {
        const rank_grid grid(world, shape);
        Task own(grid, s);
        own.begin(3);
        const std::lock_guard lock(mutex);
        for (auto* sizes : {&all.of_step, &all.most}) sizes->resize(own.steps());
        all.least.resize(own.steps(), 1000);
        for (std::size_t step = 0; step < own.steps(); ++step) {
            std::size_t examples = 0;
            for (std::size_t m = 0; m < 2; ++m) {
                own.take_microbatch(step, m, 2);
                const auto in = own.inputs();
                const std::size_t columns = own.columns() * own.rows(), count = own.labels().size() / own.rows();
                for (std::size_t i = 0; i < count; ++i)
                    ++all.inputs[std::vector<float>(in.data + i * columns, in.data + (i + 1) * columns)];
                examples += count;
            }
            all.of_step[step] += examples;
            all.most[step] = std::max(all.most[step], examples);
            all.least[step] = std::min(all.least[step], examples);
        }
    });
    return all;
}

train_settings of(std::size_t examples, std::size_t batch) {
    train_settings s;
    s.data = drawn_data;
    s.pictures = s.sequences = examples;
    s.batch = batch;
    s.context = 12;
    return s;
}

} // namespace

TEST_CASE("each epoch takes every example once, in batches as even as can be, the last one smaller") {
    for (const auto& [examples, batch, ranks] :
         {std::tuple{40, 5, 4}, {41, 10, 3}, {30, 2, 4}, {24, 8, 2}, {9, 20, 4}}) {
        CAPTURE(examples, batch, ranks);
        const train_settings s = of(static_cast<std::size_t>(examples), static_cast<std::size_t>(batch));
        train_settings of_text = s;
        of_text.data = sentences_file();
        for (const taken& all :
             {epoch_of<pictures>(s, ranks, {ranks, 1, 1}), epoch_of<text>(of_text, ranks, {ranks, 1, 1})}) {
            CHECK(all.inputs.size() == s.pictures);
            REQUIRE(all.of_step.size() == (s.pictures + s.batch - 1) / s.batch);
            for (std::size_t step = 0; step < all.of_step.size(); ++step) {
                CHECK(all.of_step[step] == std::min(s.batch, s.pictures - step * s.batch));
                CHECK(all.most[step] - all.least[step] <= 1);
            }
        }
    }
}

TEST_CASE("a pipeline takes whole batches, and knows what it leaves out") {
    const train_settings s = of(42, 8);
    CHECK(epoch_of<pictures>(s, 2, {1, 2, 1}).of_step == std::vector<std::size_t>(5, 16)); // both stages take a batch
    const epoch_cut cut{42, 8, true};
    CHECK((cut.steps() == 5 && cut.left_out() == 2 && cut.examples(4) == 8));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/hogwild.hpp>

#include <training/compressed/random.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <stdexcept>

namespace tutti::test::shared_descent {
namespace {

using training::hogwild_options;
using training::shared_weights;
using training::sharing;
using training::sparse_step;
using training::compressed::draws;

/// Logistic regression. A sample has some features of value 1 or -1, and the class that hidden weights give it.
struct samples {
    std::size_t features, given;
    [[nodiscard]] float hidden(std::size_t feature) const { return 2 * draws(1).unit(feature) - 1; }
    /// Which feature is the k-th of a sample, and its value.
    [[nodiscard]] std::pair<std::uint32_t, float> feature(std::size_t sample, std::size_t k) const {
        const draws random(2, sample);
        const auto which = given == features ? k : random.below(features / given, k) * given + k; // no feature twice
        return {static_cast<std::uint32_t>(which), random.unit(100 + k) < 0.5F ? -1.0F : 1.0F};
    }
    template <class Weight>
    [[nodiscard]] float margin(std::size_t sample, const Weight& weight) const {
        float sum = 0, truth = 0;
        for (std::size_t k = 0; k < given; ++k) {
            const auto [i, value] = feature(sample, k);
            sum += value * weight(i), truth += value * hidden(i);
        }
        return truth < 0 ? -sum : sum;
    }
    /// Puts the gradient of a sample's loss.
    void put(std::size_t sample, const shared_weights& w, sparse_step& to) const {
        const auto of = [&](std::size_t i) { return w[i]; };
        const float m = margin(sample, of), slope = -1 / (1 + std::exp(m));
        float truth = 0;
        for (std::size_t k = 0; k < given; ++k) truth += feature(sample, k).second * hidden(feature(sample, k).first);
        for (std::size_t k = 0; k < given; ++k) {
            const auto [i, value] = feature(sample, k);
            to.put(i, slope * (truth < 0 ? -value : value));
        }
    }
    /// The mean loss of many samples.
    [[nodiscard]] double loss(const shared_weights& w) const {
        double sum = 0;
        for (std::size_t s = 0; s < 500; ++s)
            sum += std::log1p(std::exp(-static_cast<double>(margin(s, [&](std::size_t i) { return w[i]; }))));
        return sum / 500;
    }
};

constexpr samples sparse{200, 5}, dense{12, 12};

/// The loss after so many steps of each thread, over all of 500 samples in turn.
double trained(const samples& of, int threads, sharing by, std::size_t steps) {
    shared_weights w(of.features);
    training::hogwild(w, {.threads = threads, .steps = steps, .rate = 0.1F, .by = by},
                      [&](int thread, std::size_t step, const shared_weights& now, sparse_step& to) {
                          const std::size_t sample =
                              step * static_cast<std::size_t>(threads) + static_cast<std::size_t>(thread);
                          of.put(sample % 500, now, to);
                      });
    return of.loss(w);
}

/// Tells that a thread ends.
struct at_exit {
    std::atomic<bool>* flag = nullptr;
    ~at_exit() {
        if (!flag) return;
        *flag = true;
        flag->notify_all();
    }
};

constexpr std::array ways{sharing::without_locks, sharing::locked, sharing::round_robin};

} // namespace

TEST_CASE("one thread is serial descent, bit by bit, however it shares") {
    for (const samples& of : {sparse, dense}) {
        std::vector<float> w(of.features);
        for (std::size_t step = 0; step < 300; ++step) {
            shared_weights now(of.features);
            for (std::size_t i = 0; i < w.size(); ++i) now.add(i, w[i]);
            sparse_step to;
            of.put(step % 500, now, to);
            for (std::size_t i = 0; i < to.indices.size(); ++i) w[to.indices[i]] += -0.1F * to.gradients[i];
        }
        shared_weights serial(of.features);
        for (std::size_t i = 0; i < w.size(); ++i) serial.add(i, w[i]);
        for (const sharing by : ways) CHECK(trained(of, 1, by, 300) == of.loss(serial));
    }
}

TEST_CASE("several threads come to about the loss of one, sparse and dense, with and without locks") {
    for (const samples& of : {sparse, dense}) {
        const double before = of.loss(shared_weights(of.features)), serial = trained(of, 1, sharing::locked, 4000);
        CHECK(std::abs(before - std::log(2.0)) < 1e-6);
        CHECK(serial < 0.6 * before);
        for (const sharing by : ways) CHECK(trained(of, 4, by, 1000) < serial + 0.1 * before);
    }
}

TEST_CASE("no addition is lost, and in round robin additions come in the order of threads") {
    for (const sharing by : ways) {
        shared_weights w(1);
        training::hogwild(w, {.threads = 4, .steps = 1000, .rate = -1, .by = by},
                          [](int, std::size_t, const shared_weights&, sparse_step& to) { to.put(0, 1); });
        CHECK(w[0] == 4000); // each float of up to 2^24 is exact
    }
    // (1 + 2^24) - 2^24 is 0 in float, and 2^24 - 2^24 + 1 is 1
    constexpr float large = 0x1p24F;
    for (const auto& addends : {std::array{1.0F, large, -large}, std::array{large, -large, 1.0F}}) {
        shared_weights w(1);
        training::hogwild(w, {.threads = 3, .steps = 1, .rate = -1, .by = sharing::round_robin},
                          [&](int thread, std::size_t, const shared_weights&, sparse_step& to) {
                              to.put(0, addends[static_cast<std::size_t>(thread)]);
                          });
        CHECK(w[0] == (addends[0] + addends[1]) + addends[2]);
    }
}

TEST_CASE("what a gradient throws stops all threads, and a turn that does not come is told") {
    for (const sharing by : ways) {
        shared_weights w(1);
        CHECK_THROWS_AS(training::hogwild(w, {.threads = 3, .steps = 1'000'000'000, .by = by},
                                          [](int thread, std::size_t step, const shared_weights&, sparse_step&) {
                                              if (thread == 1 && step == 5) throw std::runtime_error("no data");
                                          }),
                        std::runtime_error);
    }
    shared_weights w(1);
    std::atomic<bool> has_ended = false; // thread 1, which waits for a turn that thread 0 does not pass on
    CHECK_THROWS_AS(
        training::hogwild(
            w, {.threads = 2, .steps = 1, .by = sharing::round_robin, .most_wait = std::chrono::milliseconds(5)},
            [&](int thread, std::size_t, const shared_weights&, sparse_step&) {
                thread_local at_exit end;
                if (thread == 1) end.flag = &has_ended;
                if (thread == 0) has_ended.wait(false);
            }),
        error);
    CHECK_THROWS_AS(training::hogwild(w, {.threads = 0}, [](int, std::size_t, const shared_weights&, sparse_step&) {}),
                    error);
}

} // namespace tutti::test::shared_descent

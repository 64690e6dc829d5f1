// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/optimizer.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <cmath>
#include <random>

namespace tutti::test::optimizers {
namespace {

using training::optimizer;
using training::parameter;
using training::piece;

std::vector<float> random_floats(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> all(count);
    for (auto& x : all) x = normal(random);
    return all;
}

/// One weight after some steps against the same gradient.
template <class Rule>
double after(Rule rule, const std::vector<double>& rates, float gradient = 0.5F, float weight = 2) {
    optimizer<Rule> o({{"w", 1}}, rule);
    std::vector<float> w{weight}, g{gradient};
    for (const double rate : rates) o.step(rate, w, g);
    CHECK(o.steps() == rates.size());
    return w[0];
}

bool near(double a, double b) { return std::abs(a - b) < 1e-5 * (1 + std::abs(b)); }

/// Two shards, cut somewhere, give the bits of the whole.
template <class Rule>
void expect_shards_equal(Rule rule) {
    const std::vector<parameter> parameters{{"a", 100}, {"bias", 7, false}, {"b", 60}};
    const auto start = random_floats(167, 1);
    auto all = start;
    optimizer<Rule> whole(parameters, rule);
    for (unsigned step = 0; step < 3; ++step) whole.step(0.1 + 0.1 * step, all, random_floats(167, 10 + step));
    for (const std::size_t cut : {std::size_t{0}, std::size_t{41}, std::size_t{100}}) {
        std::vector<std::vector<float>> parts{{start.begin(), start.begin() + static_cast<std::ptrdiff_t>(cut)},
                                              {start.begin() + static_cast<std::ptrdiff_t>(cut), start.end()}};
        run_world(2, [&](const communicator& world) {
            const bool second = world.rank() == 1;
            auto& mine = parts[second ? 1 : 0];
            const auto pieces = second ? std::vector<piece>{{0, cut, 100 - cut}, {1, 0, 7}, {2, 0, 60}}
                                       : std::vector<piece>{{0, 0, cut}};
            optimizer<Rule> part(parameters, rule, pieces);
            for (unsigned step = 0; step < 3; ++step) {
                const auto g = random_floats(167, 10 + step);
                const auto of = [&](auto& data, std::size_t offset, std::size_t k) {
                    std::size_t begin = offset;
                    for (std::size_t i = 0; i < k; ++i) begin += pieces[i].count;
                    return std::span(data).subspan(begin, pieces[k].count);
                };
                part.step(
                    0.1 + 0.1 * step, [&](std::size_t k) { return of(mine, 0, k); },
                    [&](std::size_t k) { return of(g, second ? cut : 0, k); },
                    [&](std::span<training::square_sum> squares) { world.allreduce(squares, sum); });
            }
        });
        parts[0].insert(parts[0].end(), parts[1].begin(), parts[1].end());
        CHECK(parts[0] == all);
    }
}

} // namespace

TEST_CASE("plain descent, with decay of the weights that are decayed") {
    CHECK(near(after(training::sgd{}, {0.1, 0.1}), 1.9));
    CHECK(near(after(training::sgd{.decay = 0.25}, {0.1}), 1.9));
    optimizer<training::sgd> o({{"bias", 1, false}}, training::sgd{.decay = 0.25});
    std::vector<float> w{2}, g{0.5F};
    o.step(0.1, w, g);
    CHECK(near(w[0], 1.95));
}

TEST_CASE("momentum is one whatever its convention while the rate stays, and corrected or not when it changes") {
    using enum training::velocity;
    for (const auto is : {of_gradients, of_steps, of_steps_as_it_is})
        CHECK(near(after(training::momentum{.kept = 0.5, .is = is}, {0.1, 0.1}), 2 - 0.05 - 0.075));
    CHECK(near(after(training::momentum{.kept = 0.5, .is = of_gradients}, {0.1, 1}), 2 - 0.05 - 0.75));
    CHECK(near(after(training::momentum{.kept = 0.5, .is = of_steps}, {0.1, 1}), 2 - 0.05 - 0.75));
    CHECK(near(after(training::momentum{.kept = 0.5, .is = of_steps_as_it_is}, {0.1, 1}), 2 - 0.05 - 0.525));
}

TEST_CASE("Adam's first step has the length of the rate, and AdamW decays the weight itself") {
    CHECK(near(after(training::adam{}, {0.1}), 1.9));
    CHECK(near(after(training::adam{}, {0.1, 0.1}, 0.001F), 1.8));
    CHECK(near(after(training::adam{.decay = 0.5}, {0.1}), 2 * 0.95 - 0.1));
    CHECK(near(after(training::adam{.decay = 0.5, .is_decoupled = false}, {0.1}), 1.9));
}

TEST_CASE("Adagrad's steps shrink by the root of the sum of squares") {
    CHECK(near(after(training::adagrad{}, {0.1}), 1.9));
    CHECK(near(after(training::adagrad{}, {0.1, 0.1}), 1.9 - 0.1 / std::sqrt(2.0)));
    CHECK(near(after(training::adagrad{.decay = 0.5}, {0.1}), 1.9));
}

TEST_CASE("LARS moves a parameter by a share of its norm, whatever the size of its gradient") {
    const training::lars rule{.kept = 0, .coefficient = 0.01};
    CHECK(near(after(rule, {1}), 2 - 0.02));
    CHECK(near(after(rule, {1}, 5000), 2 - 0.02));
    CHECK(near(after(rule, {1}, 0), 2));
    const training::lars decays{.kept = 0, .decay = 0.25, .coefficient = 0.01};
    CHECK(near(after(decays, {1}), 2 - 0.02)); // |w| / (|g| + decay |w|), times g + decay w
    optimizer<training::lars> o({{"bias", 1, false}}, rule);
    std::vector<float> w{2}, g{0.5F};
    o.step(1, w, g);
    CHECK(near(w[0], 1.5)); // not adapted
}

TEST_CASE("a shard that is updated alone has the bits of the whole, by every rule") {
    expect_shards_equal(training::sgd{.decay = 0.01});
    expect_shards_equal(training::momentum{.decay = 0.01, .is = training::velocity::of_steps});
    expect_shards_equal(training::adam{.decay = 0.01});
    expect_shards_equal(training::adagrad{.decay = 0.01});
    expect_shards_equal(training::lars{.decay = 0.01});
}

TEST_CASE("an optimizer goes on from its state, its steps and its last rate") {
    const std::vector<parameter> one{{"w", 50}};
    const training::adam rule{};
    optimizer<training::adam> straight(one, rule), first(one, rule), second(one, rule);
    auto a = random_floats(50, 1), b = a;
    const auto g = random_floats(50, 2);
    for (int k = 0; k < 4; ++k) straight.step(0.1, a, g);
    for (int k = 0; k < 2; ++k) first.step(0.1, b, g);
    for (std::size_t s = 0; s < 2; ++s) std::ranges::copy(first.state(s), second.state(s).begin());
    second.resume(first.steps(), first.last_rate());
    for (int k = 0; k < 2; ++k) second.step(0.1, b, g);
    CHECK(a == b);
    CHECK(has(fault_of([&] { second.step(0.1, std::span(b).first(49), g); }).detail, "49 weights"));
}

TEST_CASE("a learning rate that is no number from 0 on is refused, and changes nothing") {
    optimizer<training::adam> o({{"w", 2}}, {});
    std::vector<float> w{1, 2}, g{1, 1};
    for (const double rate : {std::nan(""), HUGE_VAL, -0.1})
        CHECK(has(fault_of([&] { o.step(rate, w, g); }).detail, "a learning rate is a number from 0 on, not"));
    CHECK((w == std::vector<float>{1, 2} && o.steps() == 0));
    o.step(0, w, g);
    CHECK(o.steps() == 1);
}

TEST_CASE("a rule whose numbers are not finite is refused") {
    const auto told = [](auto rule) { return fault_of([&] { optimizer<decltype(rule)>({{"w", 2}}, rule); }).detail; };
    const double nan = std::nan("");
    CHECK(has(told(training::sgd{.decay = nan}), "one of its numbers is nan"));
    CHECK(has(told(training::momentum{.kept = nan}), "one of its numbers is nan"));
    CHECK(has(told(training::momentum{.decay = -HUGE_VAL}), "one of its numbers is -inf"));
    CHECK(has(told(training::adam{.epsilon = nan}), "one of its numbers is nan"));
    CHECK(has(told(training::adagrad{.epsilon = HUGE_VAL}), "one of its numbers is inf"));
    CHECK(has(told(training::lars{.coefficient = nan}), "one of its numbers is nan"));
}

} // namespace tutti::test::optimizers

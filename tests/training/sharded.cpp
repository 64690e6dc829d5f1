// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/sharded.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/milestone.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tutti::test::shards {
namespace {

using training::parameter;
using training::stage;

const std::vector<stage> stages{stage::states, stage::gradients, stage::parameters};

std::vector<parameter> layers(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<parameter> all;
    for (std::size_t n = random() % 6 + 1; n > 0; --n)
        all.push_back({"layer " + std::to_string(n), random() % 90, random() % 3 != 0});
    return all;
}
training::bucket_options by(const algorithm::any& how) { return {.bytes = {.first = 150, .most = 600}, .how = how}; }
std::vector<float> first_weights(const training::bucket_plan& plan) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<float> all(plan.elements());
    for (auto& x : all) x = normal(random);
    return all;
}

/// A gradient of many magnitudes, whose sum depends on the order, and which depends on the weights.
void compute(std::span<float> g, std::span<const float> weights, int rank, std::size_t step, std::size_t i) {
    std::mt19937 random(static_cast<unsigned>(rank) * 1000 + static_cast<unsigned>(step * 100 + i));
    for (std::size_t e = 0; e < g.size(); ++e)
        g[e] = weights[e] * std::ldexp(static_cast<float>(random() % 1000), -static_cast<int>(random() % 20));
}

constexpr std::size_t steps = 3;
double rate_of(std::size_t step) { return 0.01 * static_cast<double>(step + 1); }

/// The plain trainer: every rank has all.
template <class Rule>
std::vector<float> plain(const communicator& world, const std::vector<parameter>& parameters, Rule rule,
                         const training::bucket_options& o, double most) {
    training::gradient_buckets<communicator> buckets(world, parameters, o);
    training::optimizer<Rule> optimizer(parameters, rule);
    auto w = first_weights(buckets.plan());
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t i = parameters.size(); i-- > 0;) {
            const auto g = buckets.gradient(i);
            compute(g, std::span(w).subspan(buckets.plan().begin(i), g.size()), world.rank(), step, i);
            buckets.ready(i);
        }
        buckets.finish();
        training::clip(buckets.gradients(), most);
        optimizer.step(rate_of(step), w, buckets.gradients());
    }
    return w;
}

template <class Rule>
std::vector<float> in_shards(const communicator& world, const std::vector<parameter>& parameters, Rule rule, stage s,
                             const training::bucket_options& o, double most) {
    training::sharded<communicator, Rule> trainer(world, parameters, s, rule,
                                                  first_weights(training::bucket_plan(parameters, o.bytes)), o);
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            static_cast<void>(trainer.weights(i));
            trainer.release(i);
        }
        for (std::size_t i = parameters.size(); i-- > 0;) {
            compute(trainer.gradient(i), trainer.weights(i), world.rank(), step, i);
            trainer.release(i);
            trainer.ready(i);
        }
        trainer.finish();
        trainer.clip(most);
        trainer.step(rate_of(step));
    }
    std::vector<float> all;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto w = trainer.weights(i);
        all.insert(all.end(), w.begin(), w.end());
        trainer.release(i);
    }
    return all;
}

template <class Rule>
void expect_equal_bits(const communicator& world, unsigned seed, Rule rule, const algorithm::any& how) {
    const auto parameters = layers(seed);
    const auto expected = plain(world, parameters, rule, by(how), 50);
    for (const stage s : stages)
        expect(in_shards(world, parameters, rule, s, by(how), 50) == expected,
               "stage " + std::to_string(static_cast<int>(s)) + " has the bits of the plain trainer by " +
                   std::string(how.name()));
}

} // namespace

TEST_CASE("every stage has the weights of the plain trainer, bit by bit, on 1 to 8 ranks") {
    using namespace algorithm;
    for (int size = 1; size <= 8; ++size)
        run_world(size, [=](const communicator& world) {
            for (const any& how :
                 {any(ring{}), any(halving_doubling{}), any(direct{}), any(parameter_server{}), any(circulant{})})
                for (const unsigned seed : {1U, static_cast<unsigned>(size) + 1})
                    expect_equal_bits(world, seed, training::momentum{.decay = 0.01}, how);
        });
}

TEST_CASE("so has every rule, the one that needs norms of whole layers too") {
    run_world(3, [](const communicator& world) {
        expect_equal_bits(world, 4, training::sgd{}, algorithm::ring{});
        expect_equal_bits(world, 4, training::adam{.decay = 0.01}, algorithm::ring{});
        expect_equal_bits(world, 4, training::lars{.decay = 0.01}, algorithm::ring{});
    });
}

TEST_CASE("each stage holds a part less: states, gradients, parameters") {
    run_world(4, [](const communicator& world) {
        const std::vector<parameter> parameters(8, {"layer", 1000});
        const std::vector<float> weights(8000);
        const training::bucket_options o{.bytes = {.first = 4000, .most = 4000}, .how = algorithm::ring{}};
        for (const stage s : stages) {
            training::sharded<communicator, training::adam> trainer(world, parameters, s, {}, weights, o);
            for (std::size_t i = 0; i < 8; ++i) {
                static_cast<void>(trainer.weights(i));
                trainer.release(i);
            }
            for (std::size_t i = 8; i-- > 0;) {
                static_cast<void>(trainer.gradient(i));
                trainer.ready(i);
            }
            trainer.finish();
            trainer.step(0.1);
            const auto held = trainer.bytes();
            expect(held.states == 2 * 4 * 2000, "a quarter of the states");
            if (s == stage::states) expect(held.gradients == 32000 && held.parameters == 32000, "all else");
            if (s != stage::states)
                expect(held.gradients >= 8000 + 4000 && held.gradients % 4000 == 0, "own gradients");
            if (s == stage::parameters)
                expect(held.parameters >= 8000 + 4000 && held.parameters <= 8000 + 3 * 4000,
                       "own parameters, and up to three layers: " + std::to_string(held.parameters));
        }
    });
}

TEST_CASE("microbatches and unused parameters are as in the plain trainer") {
    run_world(2, [](const communicator& world) {
        for (const stage s : {stage::gradients, stage::parameters}) {
            training::sharded<communicator, training::sgd> trainer(world, {{"a", 3}, {"b", 5}}, s, {},
                                                                   std::vector<float>(8), by(algorithm::ring{}));
            for (const bool last : {false, true}) {
                trainer.reduces(last);
                for (float& g : trainer.gradient(0)) g += static_cast<float>(world.rank() + 1);
                std::ranges::fill(trainer.gradient(1), 9.0F); // without ready() it does not count
                trainer.ready(0);
                trainer.finish();
            }
            trainer.step(1);
            for (const float w : trainer.weights(0)) expect(w == -3, "the average of twice 1 and twice 2");
            for (const float w : trainer.weights(1)) expect(w == 0, "not used");
        }
    });
}

TEST_CASE("every stage names a gradient that is not finite on all ranks") {
    run_world(3, [](const communicator& world) {
        for (const stage s : stages) {
            training::bucket_options o = by(algorithm::ring{});
            o.finds_bad = true;
            training::sharded<communicator, training::sgd> trainer(world, {{"a", 3}, {"b", 50}}, s, {},
                                                                   std::vector<float>(53), o);
            for (const bool is_bad : {true, false}) {
                for (const std::size_t i : {1, 0}) {
                    std::ranges::fill(trainer.gradient(i), 1.0F);
                    if (is_bad && world.rank() == 2 && i == 1) trainer.gradient(i)[7] = std::nanf("");
                    trainer.ready(i);
                }
                trainer.finish();
                expect(trainer.bad().has_value() == is_bad, "in that round");
                if (is_bad) expect(trainer.bad()->rank == 2 && trainer.bad()->parameter == 1, "b of rank 2");
            }
        }
    });
}

TEST_CASE("parameters without elements, and none at all, are trained as well") {
    run_world(3, [](const communicator& world) {
        for (const auto& parameters : {std::vector<parameter>{{"a", 0}}, {{"a", 0}, {"b", 2}, {"c", 0}}, {}})
            for (const stage s : stages)
                expect(in_shards(world, parameters, training::lars{}, s, by(algorithm::ring{}), 1).size() <= 2, "all");
    });
}

TEST_CASE("a wrong number of weights, scattered bfloat16 and other stages are told") {
    run_world(2, [](const communicator& world) {
        using trainer = training::sharded<communicator, training::sgd>;
        const std::vector<parameter> one{{"a", 3}};
        const std::vector<float> three(3);
        const auto told = [&](const auto& make) { return message_of(fault_of(make)); };
        expect(has(told([&] { trainer(world, one, stage::states, {}, std::span(three).first(2)); }), "2 weights"),
               "few");
        expect(has(told([&] { trainer(world, one, stage::gradients, {}, three, {.as = training::wire::bfloat16}); }),
                   "as float32"),
               "bfloat16");
        expect(has(told([&] { trainer(world, one, stage::gradients, {}, three, by(algorithm::butterfly{})); }),
                   "butterfly has no reduce_scatter"),
               "an algorithm");
        const stage mine = world.rank() == 0 ? stage::states : stage::parameters;
        expect(has(told([&] { trainer(world, one, mine, {}, three); }), "stage 3"), "another stage");
        const std::size_t count = world.rank() == 0 ? 3 : 2;
        expect(has(told([&] { trainer(world, one, stage::states, {}, std::span(three).first(count)); }), "2 weights"),
               "fewer weights on one rank");
        const auto other_rule = [&] {
            if (world.rank() == 0)
                trainer(world, one, stage::states, {}, three);
            else
                training::sharded<communicator, training::adam>(world, one, stage::states, {}, three);
        };
        expect(has(told(other_rule), "rule adam"), "another rule");
        const auto by_momentum = [&](double kept) {
            return [&, kept] {
                training::sharded(world, one, stage::parameters, training::momentum{.kept = kept}, three);
            };
        };
        expect(has(told(by_momentum(world.rank() == 0 ? 0.5 : 0.9)), "rule momentum of 0.5, 0, 0"), "rank 0's number");
        expect(has(told(by_momentum(world.rank() == 0 ? 0.5 : 0.9)), "rule momentum of 0.9, 0, 0"), "rank 1's number");
        expect(has(told(by_momentum(std::nan(""))), "one of its numbers is nan"), "no number, on all ranks");
        const std::vector<float> own(3, static_cast<float>(world.rank()));
        for (const stage s : stages)
            expect(has(told([&] { trainer(world, one, s, {}, own); }), "\"a, 3 elements, weights with the hash "),
                   "other weights");
    });
}

TEST_CASE("weights that could not be gathered are never given, neither at first nor later") {
    auto fabric = transport::memory_world::create(2);
    milestone lost;
    run_new_world(
        2,
        [&](communicator& world) {
            world.default_deadline(std::chrono::seconds(4));
            training::sharded<communicator, training::sgd> trainer(world, {{"a", 3}, {"b", 5}}, stage::parameters, {},
                                                                   std::vector<float>(8, 1), by(algorithm::ring{}));
            world.barrier();
            if (world.rank() == 1) {
                fabric->kill(1);
                return lost.reach();
            }
            lost.await("rank 1 is lost");
            for (int k = 0; k < 2; ++k)
                expect(fault_of([&] { static_cast<void>(trainer.weights(0)); }).why == cause::lost_peer, "each time");
        },
        progress::in_calls, fabric);
}

} // namespace tutti::test::shards

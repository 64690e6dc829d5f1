// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/gradient_buckets.hpp>

#include <training/broadcast_parameters.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/milestone.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace tutti::test::buckets {
namespace {

using training::bucket_options;
using training::parameter;
using gradient_buckets = training::gradient_buckets<communicator>;

/// What all ranks know of a case.
struct model {
    std::vector<parameter> parameters;
    bucket_options options;
};

model random_model(unsigned seed) {
    std::mt19937 random(seed);
    model m;
    for (std::size_t n = random() % 12 + 1; n > 0; --n)
        m.parameters.push_back({"layer " + std::to_string(n), random() % (n == 3 ? 5000 : 60)});
    m.options.bytes = {.first = random() % 200, .most = random() % 3000};
    if (random() % 2 == 0) m.options.how = algorithm::ring{};
    return m;
}

/// A small integer: sums of them are exact in float and in bfloat16, whatever their order.
float part_of(int rank, std::size_t parameter, std::size_t element, int round) {
    return static_cast<float>((rank * 7 + static_cast<int>(parameter * 5 + element) + round) % 16 - 8);
}

/// Which parameters a rank uses in a round, in which order.
std::vector<std::size_t> used(const model& m, unsigned seed, bool all) {
    std::vector<std::size_t> order(m.parameters.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    std::mt19937 random(seed);
    if (seed % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    if (!all) order.resize(random() % (order.size() + 1));
    return order;
}

void add_all(gradient_buckets& buckets, const std::vector<std::size_t>& order, int rank, int round) {
    for (const std::size_t i : order) {
        const auto g = buckets.gradient(i);
        for (std::size_t e = 0; e < g.size(); ++e) g[e] += part_of(rank, i, e, round);
        buckets.ready(i);
    }
}

void expect_average(gradient_buckets& buckets, int size, int round, const auto& parts_of) {
    const float share = 1.0F / static_cast<float>(size);
    for (std::size_t i = 0; i < buckets.plan().parameters().size(); ++i) {
        const auto g = buckets.gradient(i);
        std::vector<int> parts;
        for (int r = 0; r < size; ++r)
            if (parts_of(r, i)) parts.push_back(r);
        for (std::size_t e = 0; e < g.size(); ++e) {
            float total = 0;
            for (const int r : parts) total += part_of(r, i, e, round);
            expect(g[e] == total * share, "the average of parameter " + std::to_string(i));
        }
    }
}

void clear(gradient_buckets& buckets) { std::ranges::fill(buckets.gradients(), 0.0F); }

} // namespace

TEST_CASE("every gradient is the plain average, whatever the layers, the buckets and the order of ready") {
    for (const int size : {1, 2, 3, 4, 5})
        for (unsigned seed = 1; seed <= 8; ++seed)
            run_world(size, [=](const communicator& world) {
                const model m = random_model(seed);
                gradient_buckets buckets(world, m.parameters, m.options);
                for (int round = 0; round < 3; ++round) {
                    clear(buckets);
                    add_all(buckets, used(m, seed * 31 + static_cast<unsigned>(round * world.rank()), true),
                            world.rank(), round);
                    buckets.finish();
                    expect_average(buckets, size, round, [](int, std::size_t) { return true; });
                }
            });
}

TEST_CASE("with progress by waiters the averages are the same") {
    run_new_world(
        3,
        [](const communicator& world) {
            const model m = random_model(5);
            gradient_buckets buckets(world, m.parameters, m.options);
            for (int round = 0; round < 5; ++round) {
                clear(buckets);
                add_all(buckets, used(m, 3, true), world.rank(), round);
                buckets.finish();
                expect_average(buckets, 3, round, [](int, std::size_t) { return true; });
            }
        },
        progress::by_waiters);
}

TEST_CASE("a parameter that a rank does not use counts as zero there") {
    for (unsigned seed = 1; seed <= 8; ++seed)
        run_world(3, [=](const communicator& world) {
            const model m = random_model(seed);
            const auto order = [&](int rank) { return used(m, seed * 100 + static_cast<unsigned>(rank), false); };
            gradient_buckets buckets(world, m.parameters, m.options);
            for (int round = 0; round < 2; ++round) {
                for (const std::size_t i : order(world.rank())) std::ranges::fill(buckets.gradient(i), 0.0F);
                add_all(buckets, order(world.rank()), world.rank(), round); // what is not used has the last average
                buckets.finish();
                expect_average(buckets, 3, round, [&](int r, std::size_t i) {
                    const auto of = order(r);
                    return std::find(of.begin(), of.end(), i) != of.end();
                });
            }
        });
}

TEST_CASE("microbatches add up on their rank, and the last one reduces") {
    run_world(2, [](const communicator& world) {
        gradient_buckets buckets(world, {{"a", 10}, {"b", 20}}, {});
        for (int step = 0; step < 2; ++step) {
            clear(buckets);
            for (int micro = 0; micro < 3; ++micro) {
                buckets.reduces(micro == 2);
                if (micro == 0) add_all(buckets, {1, 0}, world.rank(), 0); // b is used by the first one only
                if (micro > 0) add_all(buckets, {0}, world.rank(), 0);
                buckets.finish();
            }
            for (std::size_t e = 0; e < 10; ++e)
                expect(buckets.gradient(0)[e] == 3 * (part_of(0, 0, e, 0) + part_of(1, 0, e, 0)) / 2, "three times a");
            for (std::size_t e = 0; e < 20; ++e)
                expect(buckets.gradient(1)[e] == (part_of(0, 1, e, 0) + part_of(1, 1, e, 0)) / 2, "once b");
        }
        buckets.ready(1);
        expect(has(fault_of([&] { buckets.reduces(false); }).detail, "begun"), "not within a round");
        buckets.ready(0);
        buckets.finish();
    });
}

TEST_CASE("gradients may travel as bfloat16: exact where they are, else rounded as bfloat16 are") {
    run_world(3, [](const communicator& world) {
        gradient_buckets buckets(world, {{"a", 100}, {"b", 300}},
                                 {.bytes = {.first = 400, .most = 400}, .as = training::wire::bfloat16});
        add_all(buckets, {1, 0}, world.rank(), 1);
        buckets.finish();
        for (std::size_t e = 0; e < 300; ++e) {
            const float exact = part_of(0, 1, e, 1) + part_of(1, 1, e, 1) + part_of(2, 1, e, 1);
            expect(std::abs(buckets.gradient(1)[e] - exact / 3) <= std::abs(exact / 3) / 256, "rounded to 8 bits");
        }
        expect(buckets.activities()[0].bytes == 600, "two bytes an element");
    });
}

TEST_CASE("buckets start in their order as soon as they are complete, and other calls may come in between") {
    run_world(2, [](const communicator& world) {
        gradient_buckets buckets(world, {{"a", 4}, {"b", 4}, {"c", 4}}, {.bytes = {.first = 4, .most = 4}});
        if (world.rank() == 0) world.barrier();
        buckets.ready(0); // waits for the buckets of c and b
        buckets.ready(2);
        if (world.rank() == 1) world.barrier();
        buckets.finish();
        const auto done = buckets.activities();
        expect(done.size() == 3 && done[2].ready < done[0].ready, "a is ready first");
        for (std::size_t b = 0; b < 3; ++b) {
            expect(done[b].ready <= done[b].started && done[b].started <= done[b].open_until, "it starts when ready");
            expect(done[b].open_until <= done[b].ended, "and ends afterwards");
            expect(b == 0 || done[b - 1].started <= done[b].started, "in order");
        }
        expect(buckets.exposed().count() > 0, "time in calls");
    });
}

TEST_CASE("what is ready twice, or not there, is told, and changes nothing") {
    run_world(2, [](const communicator& world) {
        gradient_buckets buckets(world, {{"weights", 3}, {"bias", 1}}, {});
        buckets.ready(1);
        expect(has(fault_of([&] { buckets.ready(1); }).detail, "\"bias\" is ready already"), "twice");
        expect(has(fault_of([&] { buckets.ready(2); }).detail, "no parameter 2, but 2"), "not there");
        buckets.ready(0);
        buckets.finish();
        gradient_buckets none(world, {}, {});
        none.finish();
    });
}

TEST_CASE("ranks that register other parameters or options are told the first that differs") {
    run_world(3, [](const communicator& world) {
        const bool odd = world.rank() == 2;
        const auto told = [&](const std::vector<parameter>& mine, const bucket_options& o) {
            const auto f = fault_of([&] { gradient_buckets(world, mine, o); });
            expect(f.why == cause::mismatch && f.peer == 2, message_of(f));
            return message_of(f);
        };
        const std::vector<parameter> ab{{"a", 1}, {"b", 2}}, ba{{"b", 2}, {"a", 1}}, longer{{"a", 1}, {"b", 3}};
        expect(has(told(odd ? ba : ab, {}), "rank 0 has \"a, 1 elements\" where rank 2 has \"b, 2 elements\""),
               "another order");
        expect(has(told(odd ? longer : ab, {}), "\"b, 2 elements\" where rank 2 has \"b, 3 elements\""), "a length");
        std::vector<parameter> decay = ab;
        decay[1].is_decayed = !odd;
        expect(has(told(decay, {}), "has \"b, 2 elements, not decayed\""), "decay");
        expect(has(told(ab, {.as = odd ? training::wire::bfloat16 : training::wire::float32}), "as bfloat16"),
               "an option");
        gradient_buckets(world, ab, {}).finish(); // the world is as good as before
    });
}

TEST_CASE(
    "ranks that begin with other weights are told the parameter and the ranks, until one has given them its own") {
    run_world(4, [](const communicator& world) {
        const std::vector<parameter> ab{{"a", 5}, {"b", 2}};
        std::vector<float> w(7, 1.0F);
        if (world.rank() % 2 == 1) w[6] = -1.0F;
        const auto f = fault_of([&] { gradient_buckets(world, ab, {}, w); });
        expect(f.why == cause::mismatch && f.peer == 1, message_of(f));
        expect(has(f.detail, "rank 0 has \"b, 2 elements, weights with the hash "), f.detail);
        expect(has(f.detail, "; ranks 1 and 3 differ from rank 0"), f.detail);
        expect(has(f.remedy, "broadcast_parameters"), f.remedy);
        training::broadcast_parameters(world, std::span(w), 1);
        expect(w[6] == -1, "those of rank 1");
        gradient_buckets(world, ab, {}, w).finish();

        std::vector<float> a(3, static_cast<float>(world.rank())), b(2, static_cast<float>(world.rank()));
        training::broadcast_parameters(world, std::vector<std::span<float>>{a, {}, b}, 2);
        expect(a == std::vector<float>(3, 2) && b == std::vector<float>(2, 2), "arrays that lie apart");
        expect(has(fault_of([&] { gradient_buckets(world, ab, {}, a); }).detail, "3 weights for parameters of 7"),
               "another number");
        const auto some = world.rank() == 0 ? std::span<const float>(w) : std::span<const float>();
        expect(fault_of([&] { gradient_buckets(world, ab, {}, some); }).why == cause::mismatch, "only one rank's");
    });
}

TEST_CASE("a number that is not finite is found at any place, among any number of others") {
    for (std::size_t count = 0; count < 50; ++count) {
        std::vector<float> numbers(count, std::numeric_limits<float>::max());
        CHECK(training::detail::all_finite(numbers));
        for (std::size_t k = 0; k < count; ++k) {
            for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
                numbers[k] = bad;
                CHECK(!training::detail::all_finite(numbers));
            }
            numbers[k] = -0.F;
        }
    }
}

TEST_CASE("an average that is not finite is found though the gradients were") {
    for (const auto as : {training::wire::float32, training::wire::bfloat16})
        run_world(2, [=](const communicator& world) {
            gradient_buckets buckets(world, {{"a", 5}, {"b", 7}}, {.as = as, .finds_bad = true});
            for (const float most : {3e38F, 1.0F}) {
                std::ranges::fill(buckets.gradients(), 1.0F);
                buckets.gradient(1)[3] = most;
                buckets.ready(1);
                buckets.ready(0);
                buckets.finish();
                expect(buckets.bad().has_value() == (most > 2), "found");
                if (const auto bad = buckets.bad()) expect(bad->rank == -1 && bad->parameter == 1, "of no rank");
            }
        });
}

TEST_CASE("a gradient that is not finite is named by rank and parameter, the same on all ranks, in that round alone") {
    for (const auto as : {training::wire::float32, training::wire::bfloat16})
        run_world(3, [=](const communicator& world) {
            gradient_buckets buckets(world, {{"a", 5}, {"b", 700}, {"c", 3}},
                                     {.bytes = {.first = 20, .most = 4000}, .as = as, .finds_bad = true});
            for (const float wrong : {std::nanf(""), 1.0F, -HUGE_VALF}) {
                clear(buckets);
                if (world.rank() > 0) buckets.gradient(world.rank() == 1 ? 1 : 0)[4] = wrong;
                buckets.reduces(false); // a microbatch, which nobody has seen yet
                add_all(buckets, {1}, world.rank(), 0);
                buckets.finish();
                buckets.reduces(true);
                add_all(buckets, {2, 1, 0}, world.rank(), 0);
                buckets.finish();
                expect(buckets.bad().has_value() == !std::isfinite(wrong), "found");
                if (const auto bad = buckets.bad()) expect(bad->rank == 1 && bad->parameter == 1, "rank 1 has b");
            }
        });
    run_world(2, [](const communicator& world) {
        gradient_buckets buckets(world, {{"a", 5}}, {});
        buckets.gradient(0)[0] = std::nanf("");
        buckets.ready(0);
        buckets.finish();
        expect(!buckets.bad(), "nobody looks");
        const bucket_options mine{.finds_bad = world.rank() == 0};
        expect(fault_of([&] { gradient_buckets(world, {}, mine); }).why == cause::mismatch, "all look, or none");
    });
}

TEST_CASE("a rank with fewer rounds is named, with what helps, and finish() alone keeps it in step") {
    run_new_world(3, [](communicator& world) {
        world.default_deadline(std::chrono::seconds(1));
        gradient_buckets buckets(world, {{"a", 8}, {"b", 8}}, {});
        const int rounds = world.rank() == 2 ? 1 : 3;
        for (int round = 0; round < world.allreduce(rounds, maximum); ++round) {
            clear(buckets);
            if (round < rounds) add_all(buckets, {1, 0}, world.rank(), round);
            buckets.finish();
            expect_average(buckets, 3, round, [=](int r, std::size_t) { return r < 2 || round < 1; });
        }
        if (world.rank() == 2) { // the others find it: were its own wait over first, it would blame them
            world.default_deadline(std::chrono::minutes(1));
            return void(fault_of([&] { world.barrier(); }));
        }
        const auto f = fault_of([&] { buckets.finish(); });
        expect(f.why == cause::timeout && f.peer == 2, message_of(f));
        expect(has(f.remedy, "if it has fewer batches, let it call finish() without ready()"), f.remedy);
    });
}

TEST_CASE("a rank that is lost ends finish on all others with a typed error that names it") {
    auto fabric = transport::memory_world::create(3);
    milestone lost;
    gate everyone(3);
    run_new_world(
        3,
        [&](communicator& world) {
            world.default_deadline(std::chrono::seconds(4));
            gradient_buckets buckets(world, {{"a", 5000}, {"b", 5000}, {"c", 10}}, {.bytes = {100, 100}});
            add_all(buckets, {2, 1, 0}, world.rank(), 0);
            buckets.finish();
            buckets.ready(2);
            everyone.pass();
            if (world.rank() == 1) {
                fabric->kill(1);
                return lost.reach();
            }
            lost.await("rank 1 is lost");
            const auto start = std::chrono::steady_clock::now();
            const auto f = fault_of([&] {
                for (;;) buckets.finish(); // of a bucket of few elements rank 1 may have sent its part
            });
            expect(f.why == cause::lost_peer && f.peer == 1, message_of(f));
            expect(std::chrono::steady_clock::now() - start < std::chrono::seconds(5), "in time");
            expect(fault_of([&] { buckets.finish(); }).why == cause::lost_peer, "and again");
        },
        progress::in_calls, fabric);
}

} // namespace tutti::test::buckets

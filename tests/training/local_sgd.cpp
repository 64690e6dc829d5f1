// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/local_sgd.hpp>

#include <transport/simulated.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <chrono>
#include <limits>

namespace tutti::test::local_steps {
namespace {

using training::averaging_facts;
using training::slow_momentum;
using floats = std::vector<float>;

/// A rank's gradient of half the squared distance to a point, which moves from step to step.
float gradient(int rank, std::size_t step, std::size_t i, float weight) {
    return weight - static_cast<float>((rank * 5 + static_cast<int>(step * 3 + i * 7)) % 11);
}

constexpr float learning_rate = 0.1F;
constexpr std::size_t elements = 6, steps = 30;

void make_step(int rank, std::size_t step, floats& w) {
    for (std::size_t i = 0; i < elements; ++i) w[i] -= learning_rate * gradient(rank, step, i, w[i]);
}

/// All ranks in one loop: averages are sums in the order of ranks.
template <class Period>
std::vector<floats> serial(int size, Period period, slow_momentum outer) {
    std::vector<floats> w(static_cast<std::size_t>(size), floats(elements, 1.0F));
    floats old(elements, 1.0F), u(elements);
    std::size_t left = period(averaging_facts{});
    for (std::size_t step = 0; step < steps; ++step) {
        for (int r = 0; r < size; ++r) make_step(r, step, w[static_cast<std::size_t>(r)]);
        if (--left > 0) continue;
        for (std::size_t i = 0; i < elements; ++i) {
            float total = w[0][i];
            for (std::size_t r = 1; r < w.size(); ++r) total += w[r][i];
            total *= 1.0F / static_cast<float>(size);
            if (!outer.is_plain()) {
                u[i] = static_cast<float>(outer.kept) * u[i] +
                       static_cast<float>(1 / static_cast<double>(learning_rate)) * (old[i] - total);
                total = old[i] - static_cast<float>(outer.rate * static_cast<double>(learning_rate)) * u[i];
            }
            old[i] = total;
            for (auto& x : w) x[i] = total;
        }
        left = period(averaging_facts{step + 1, 0, 0});
    }
    return w;
}

template <class Period>
void expect_serial(int size, const Period& period, slow_momentum outer, const std::string& what) {
    const auto wanted = serial(size, period, outer);
    run_world(size, [&](const communicator& world) {
        floats w(elements, 1.0F);
        training::local_sgd local(world, w, period, outer, algorithm::naive{});
        for (std::size_t step = 0; step < steps; ++step) {
            make_step(world.rank(), step, w);
            local.step(w, 0, static_cast<double>(learning_rate));
        }
        expect(w == wanted[static_cast<std::size_t>(world.rank())], what + ": the bits of the serial loop");
    });
}

} // namespace

TEST_CASE("local steps and averages have the bits of a serial loop, on 1 to 9 ranks") {
    for (int size = 1; size <= 9; ++size) {
        expect_serial(size, training::every{1}, {}, "synchronous");
        expect_serial(size, training::every{7}, {}, "a period of 7, and 2 steps after the last average");
        expect_serial(size, training::post_local{10, 4}, {}, "post-local");
        expect_serial(size, training::every{5}, {.kept = 0.6, .rate = 0.9}, "slow momentum");
    }
}

TEST_CASE("a period measures by the clock of its communicator") {
    const auto cluster = transport::simulated_world::create({.size = 2});
    cluster->run([&](transport::simulated end) {
        const tutti::communicator world{std::move(end)};
        floats w{1};
        training::local_sgd local(world, w, training::adacomm(4, 10));
        for (std::size_t i = 0; i < 4; ++i) {
            expect(local.left() == 4 - i, "steps that are left");
            cluster->compute(std::chrono::seconds(10 + world.rank()));
            local.step(w, 1);
        }
        CHECK(local.facts().seconds >= 44); // the later of both waits for the other's message at most
        CHECK(local.facts().seconds < 44.1);
    });
}

TEST_CASE("post-local averages each step at first, and then once in a while") {
    run_world(2, [](const communicator& world) {
        floats w(3);
        training::local_sgd local(world, w, training::post_local{3, 4});
        std::vector<std::size_t> averaged;
        for (std::size_t step = 1; step <= 12; ++step)
            if (local.step(w)) averaged.push_back(step);
        expect(averaged == std::vector<std::size_t>{1, 2, 3, 7, 11}, "the steps");
    });
}

TEST_CASE("AdaComm's tau follows the root of the loss, and shrinks where that does not") {
    training::adacomm period(16, 10);
    const auto tau = [&](double seconds, double loss) { return period({1, seconds, loss}); };
    CHECK(period({}) == 16);
    CHECK(tau(5, 4) == 16);   // the first loss is 4
    CHECK(tau(10, 1) == 8);   // 16 x sqrt(1 / 4)
    CHECK(tau(15, 0.1) == 8); // within an interval
    CHECK(tau(20, 2) == 4);   // 16 x sqrt(1 / 2) is more than 8: halved
    CHECK(tau(35, 0.2) == 2); // 16 x sqrt(1 / 20) is rounded up to 4, which is not less
    CHECK(tau(45, std::numeric_limits<double>::quiet_NaN()) == 1);
    CHECK(tau(55, 4) == 1);
}

TEST_CASE("ranks with losses and times of their own agree on AdaComm's tau") {
    run_world(3, [](const communicator& world) {
        floats w(2);
        training::local_sgd local(world, w, training::adacomm(8, 0)); // looks at the loss after each average
        training::adacomm alone(8, 0);
        std::size_t tau = alone(averaging_facts{}), left = tau, averages = 0;
        for (std::size_t step = 1; step <= 40; ++step) {
            const double mean = 16 / static_cast<double>(step); // the rank's own is apart from it
            const bool averaged = local.step(w, mean * (1 + 0.5 * (world.rank() - 1)));
            expect(averaged == (--left == 0), "an average after step " + std::to_string(step));
            if (!averaged) continue;
            ++averages;
            expect(local.facts().steps == step && local.facts().seconds > 0, "facts");
            left = tau = alone(local.facts());
            expect(world.allreduce(static_cast<int>(tau), maximum) == static_cast<int>(tau), "the same on all ranks");
        }
        expect(local.tau() == 1 && averages > 10, "it comes to averages of each step");
        training::local_sgd stuck(world, w, training::every{2}, {}, algorithm::bruck{}); // which has no allreduce
        expect(!stuck.step(w), "the first step");
        for (int k = 0; k < 2; ++k)
            expect(fault_of([&] { stuck.step(w); }).why == cause::invalid_argument,
                   "every later step tries to average");
        training::local_sgd slow(world, w, training::every{1}, {.kept = 0.5});
        expect(has(fault_of([&] { slow.step(w, 0, 0); }).detail, "divides by the learning rate"), "a rate of 0");
        const floats own(2, static_cast<float>(world.rank()));
        expect(fault_of([&] { training::local_sgd(world, own, training::every{1}, {.kept = 0.5}); }).why ==
                   cause::mismatch,
               "other weights at first, which slow momentum would keep apart");
        const auto told = [&](slow_momentum outer, std::size_t tau) {
            return fault_of([&] { training::local_sgd(world, w, training::every{tau}, outer); });
        };
        const bool is_odd = world.rank() == 1;
        expect(has(told({is_odd ? 0.9 : 0.5, 1}, 4).detail, "\"slow momentum of 0.9, 1, periods of 4\""),
               "other numbers");
        expect(has(told({0.5, 1}, is_odd ? 8 : 4).detail, "\"slow momentum of 0.5, 1, periods of 8\""),
               "other periods");
        expect(told({std::nan(""), 1}, 4).why == cause::invalid_argument, "a share that is no number");
        floats few(1);
        expect(has(fault_of([&] { local.step(few); }).detail, "1 weights instead of 2"), "another length");
        expect(has(fault_of([&] { training::local_sgd(world, w, training::every{0}); }).detail, "1 step at least"),
               "no period");
    });
}

} // namespace tutti::test::local_steps

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/downpour.hpp>

#include "server_job.hpp"

#include "support/catch.hpp"
#include "support/has.hpp"

#include <training/learning_rate.hpp>
#include <transport/simulated.hpp>

#include <chrono>
#include <string>

namespace tutti::test::stores {
namespace {

using namespace std::chrono_literals;
using floats = std::vector<float>;

constexpr std::size_t downpour_keys = 7;

/// Of half the squared distance to a point that moves from step to step.
floats pull(const floats& weights, std::size_t step) {
    floats g(weights.size());
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = weights[i] - static_cast<float>((step * 3 + i * 5) % 11);
    return g;
}
double falling_rate(std::size_t step) { return 0.25 / static_cast<double>(step + 1); }

/// One replica and its servers, as the paper has them, in one loop.
template <class Rule>
floats alone(Rule rule, std::size_t steps, std::size_t fetch, std::size_t push) {
    floats store(downpour_keys, 1), own = store, seen = store, accrued(downpour_keys), state(downpour_keys);
    std::size_t pushes = 0;
    const auto send = [&](double rate) {
        training::update_range all{store, accrued};
        if constexpr (Rule::states > 0) all.state[0] = state;
        rule.update({++pushes, rate, rate}, all);
        accrued.assign(downpour_keys, 0);
    };
    for (std::size_t step = 0; step < steps; ++step) {
        const floats g = pull(own, step);
        if (step % fetch == 0) own = store;
        for (std::size_t i = 0; i < downpour_keys; ++i) {
            own[i] -= static_cast<float>(falling_rate(step)) * g[i];
            accrued[i] += g[i];
        }
        if ((step + 1) % push == 0) send(falling_rate(step));
    }
    if (steps % push != 0) send(falling_rate(steps - 1));
    return store;
}

template <class Rule>
floats by_replica(Rule rule, std::size_t steps, std::size_t fetch, std::size_t push) {
    floats found(downpour_keys);
    run_store(apart(2, 1, downpour_keys), rule, {}, [&](client& store, int) {
        store.put(0, floats(downpour_keys, 1));
        training::downpour one(store, downpour_keys, {fetch, push, falling_rate, {}});
        while (one.steps() < steps) {
            one.begin();
            one.step(pull({one.weights().begin(), one.weights().end()}, one.steps()));
        }
        one.finish();
        store.get(0, found);
    });
    return found;
}

/// Serial descent, one step after the other.
floats serial_descent(std::size_t steps) {
    floats w(downpour_keys, 1);
    for (std::size_t step = 0; step < steps; ++step) {
        const floats g = pull(w, step);
        training::sgd{}.update({step + 1, falling_rate(step), 0}, {w, g});
    }
    return w;
}

/// Servers and workers in virtual time. Each gradient is 1, so that the store tells how many have come.
struct virtual_downpour {
    int workers = 3;
    std::size_t steps = 10, warm = 0;
    int victim = -1; ///< a rank; the only server is rank 0
    std::chrono::nanoseconds dies_at{};
    std::vector<std::chrono::nanoseconds> began = std::vector<std::chrono::nanoseconds>(4), ended = began;
    float sum = 0; ///< all gradients that the server has, as the last worker saw them

    void run() {
        const auto world = transport::simulated_world::create({.size = workers + 1});
        if (victim >= 0) world->kill_at(victim, dies_at);
        world->run([&](transport::simulated end) {
            const tutti::communicator all{std::move(end)};
            try {
                part(all, *world);
            } catch (const error&) {
                if (all.rank() != victim) throw;
            }
        });
    }

private:
    template <class Communicator>
    void part(const Communicator& all, transport::simulated_world& world) {
        const store_layout layout = apart(1, workers, downpour_keys);
        const training::server::links by(all, layout);
        training::warm_start begins(all, layout.workers);
        if (by.server() >= 0) return training::server::shard_server(by, training::sgd{}).serve();
        begins.wait();
        began[static_cast<std::size_t>(by.worker())] = world.now();
        training::server::client store(by);
        training::downpour one(store, downpour_keys, {2, 3, training::constant{1}, {}});
        while (one.steps() < steps) {
            if (one.steps() == warm) begins.tell();
            one.begin();
            world.compute(10ms * (1 + by.worker()));
            one.step(floats(downpour_keys, 1));
        }
        one.finish();
        floats got(downpour_keys);
        store.get(0, got);
        sum = -got[0];
        ended[static_cast<std::size_t>(by.worker())] = world.now();
        store.close();
    }
};

} // namespace

TEST_CASE("a replica that fetches and pushes in each step descends as a single machine does, bit by bit") {
    CHECK(by_replica(training::sgd{}, 20, 1, 1) == serial_descent(20));
}

TEST_CASE("a single replica follows the paper's algorithm, bit by bit, for each pair of periods") {
    for (const std::size_t fetch : {1, 2, 5})
        for (const std::size_t push : {1, 3, 5}) {
            CAPTURE(fetch, push);
            CHECK(by_replica(training::sgd{}, 13, fetch, push) == alone(training::sgd{}, 13, fetch, push));
            CHECK(by_replica(training::adagrad{}, 13, fetch, push) == alone(training::adagrad{}, 13, fetch, push));
        }
}

TEST_CASE("replicas that do not know of each other lose no gradient") {
    constexpr std::size_t steps = 11;
    constexpr int replicas = 3;
    const auto layout = apart(2, replicas, downpour_keys);
    gate pushed(replicas);
    run_store(layout, training::sgd{}, {}, [&](client& store, int worker) {
        training::downpour one(store, downpour_keys, {2, 3, training::constant{0.5}, {}});
        while (one.steps() < steps) {
            one.begin();
            one.step(floats(downpour_keys, static_cast<float>(1 << worker)));
        }
        one.finish();
        pushed.pass();
        floats got(downpour_keys);
        store.get(0, got);
        expect(got == floats(downpour_keys, -0.5F * steps * 7), "the sum of all, " + std::to_string(got[0]));
    });
}

TEST_CASE("what is no replica is refused") {
    run_store(apart(1, 1, downpour_keys), training::sgd{}, {}, [](client& store, int) {
        const auto made = [&](training::downpour_options o) {
            return fault_of([&] { training::downpour(store, downpour_keys, std::move(o)); }).detail;
        };
        expect(has(made({0, 1, falling_rate, {}}), "1 step at least"), "no fetch");
        expect(has(made({1, 0, falling_rate, {}}), "1 step at least"), "no push");
        expect(has(made({1, 1, {}, {}}), "no learning rate"), "no rate");
        training::downpour one(store, downpour_keys, {1, 1, falling_rate, {}});
        expect(has(fault_of([&] { one.step(floats(2)); }).detail, "2 gradients of 7 weights"), "another length");
    });
}

TEST_CASE("a gradient that is no number changes nothing, and a sum that overflows is left out") {
    run_store(apart(1, 1, downpour_keys), training::sgd{}, {}, [](client& store, int) {
        training::downpour one(store, downpour_keys, {5, 2, training::constant{1}, {}});
        one.step(floats(downpour_keys, 1));
        floats bad(downpour_keys, 1);
        bad[3] = std::nanf("");
        expect(has(fault_of([&] { one.step(bad); }).detail, "NaN or infinite"), "it is refused");
        expect(one.steps() == 1 && one.weights()[0] == -1, "and was no step");
        one.step(floats(downpour_keys, 1)); // pushes 2
        const floats huge(downpour_keys, 3e38F);
        one.step(huge);
        expect(has(fault_of([&] { one.step(huge); }).detail, "NaN or infinite"), "the sum is");
        one.step(floats(downpour_keys, 1));
        one.finish();
        floats got(downpour_keys);
        store.get(0, got);
        expect(got == floats(downpour_keys, -3), "what could be pushed has come, " + std::to_string(got[0]));
    });
}

TEST_CASE("replicas keep their own pace, and after a warm start begin when the first one has made its steps") {
    virtual_downpour usual;
    usual.run();
    CHECK(usual.sum == 30);
    CHECK(usual.ended[2] > 300ms);
    CHECK(usual.ended[0] < 110ms);
    virtual_downpour warm{.warm = 4};
    warm.run();
    CHECK(warm.sum == 30);
    CHECK(warm.began[0] < 10ms);
    for (const int other : {1, 2}) {
        CHECK(warm.began[static_cast<std::size_t>(other)] > 40ms);
        CHECK(warm.began[static_cast<std::size_t>(other)] < 50ms);
    }
}

TEST_CASE("a replica that dies is not waited for, nor is the first one in its warm start") {
    virtual_downpour third{.victim = 3, .dies_at = 100ms}; // it has pushed three gradients
    third.run();
    CHECK(third.sum == 23);
    CHECK(third.ended[1] < 210ms);
    virtual_downpour first{.warm = 8, .victim = 1, .dies_at = 35ms};
    first.run();
    CHECK(first.sum == 23);
    for (const std::size_t other : {1U, 2U}) CHECK(first.began[other] >= 35ms);
    virtual_downpour waiting{.warm = 4, .victim = 2, .dies_at = 20ms};
    waiting.run();
    CHECK(waiting.sum == 20);
    CHECK(waiting.began[2] > 40ms);
}

} // namespace tutti::test::stores

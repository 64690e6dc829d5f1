// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "server_job.hpp"

#include "support/catch.hpp"
#include "support/milestone.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <random>

namespace tutti::test::stores {
namespace {

using training::server::asynchronous;
using training::server::bounded_staleness;
using training::server::bulk_synchronous;
using training::server::consistency;

TEST_CASE("a consistency is a value") {
    CHECK(asynchronous.may_read(1000, 0));
    CHECK(bounded_staleness(2).may_read(2, 0));
    CHECK_FALSE(bounded_staleness(2).may_read(3, 0));
    CHECK(bounded_staleness(2).may_read(0, 3));
    CHECK_FALSE(bulk_synchronous.may_read(1, 0));
    CHECK(bounded_staleness(0) != bulk_synchronous);
}

constexpr std::size_t store_keys = 23;

/// A gradient that depends on the weights and the worker.
std::vector<float> gradient_of(const std::vector<float>& weights, int worker, int step) {
    auto g = some_values(weights.size(), static_cast<unsigned>(100 * step + worker));
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] * 0.1F + weights[i] * 0.3F;
    return g;
}

TEST_CASE("bulk synchronous workers see the same bits as one that does all") {
    constexpr int workers = 3, steps = 6;
    const training::momentum rule{.kept = 0.9};
    auto weights = some_values(store_keys, 1);
    std::vector<float> state(store_keys);
    std::vector<std::vector<float>> expected;
    for (int step = 0; step < steps; ++step) {
        expected.push_back(weights);
        std::vector<float> all(store_keys);
        for (int w = 0; w < workers; ++w) {
            const auto g = gradient_of(weights, w, step);
            for (std::size_t i = 0; i < g.size(); ++i) all[i] += g[i];
        }
        rule.update({static_cast<std::size_t>(step) + 1, 0.1, step == 0 ? 0 : 0.1}, {weights, all, {state}});
    }
    expected.push_back(weights);
    for (const int copies : {1, 2})
        run_store(apart(2, workers, store_keys, copies), rule, {.how = bulk_synchronous}, [&](client& c, int w) {
            std::mt19937 random(static_cast<unsigned>(w));
            if (w == 0) c.put(0, expected[0]);
            c.tick(); // the first weights are there for all
            std::vector<float> got(store_keys);
            for (int step = 0; step < steps; ++step) {
                c.get(0, got);
                expect(got == expected[static_cast<std::size_t>(step)], "the weights of a clock");
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
                c.push(0, gradient_of(got, w, step), 0.1);
                c.get(0, got);
                expect(got == expected[static_cast<std::size_t>(step)], "a push counts in the next clock");
                c.tick();
            }
            c.get(0, got);
            expect(got == expected.back(), "the last weights");
            expect(c.staleness().counts().size() == 1, "nothing is stale");
        });
}

/// Each worker adds 1 in each clock. What a worker reads tells which updates it has seen.
void check_bound(std::uint64_t slack, bool is_bounded) {
    constexpr int workers = 3, steps = 40;
    std::mutex mutex; // guards seen
    std::vector<std::uint64_t> seen;
    const auto how = is_bounded ? bounded_staleness(slack) : asynchronous;
    run_store(apart(2, workers, workers), training::sgd{}, {.how = how}, [&](client& c, int w) {
        std::mt19937 random(static_cast<unsigned>(w));
        const float one = 1;
        std::vector<float> got(workers);
        for (int step = 0; step < steps; ++step) {
            c.get(0, got);
            for (const float others : got)
                expect(!is_bounded || others + static_cast<float>(slack) >= static_cast<float>(step),
                       "updates of the clocks before the bound are there");
            expect(got[static_cast<std::size_t>(w)] == static_cast<float>(step), "own updates are there");
            if (w == 2) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
            c.add(static_cast<std::uint64_t>(w), std::span(&one, 1));
            c.tick();
        }
        const std::lock_guard lock(mutex);
        const auto& counts = c.staleness().counts();
        seen.resize(std::max(seen.size(), counts.size()));
        for (std::size_t i = 0; i < counts.size(); ++i) seen[i] += counts[i];
    });
    std::uint64_t all = 0;
    for (const auto n : seen) all += n;
    CHECK(all == workers * steps); // of both servers together
    if (is_bounded) CHECK(seen.size() <= slack + 1);
}
TEST_CASE("what is read is never older than the bound, and its age is counted") {
    for (const std::uint64_t slack : {0U, 1U, 4U}) check_bound(slack, true);
    check_bound(0, false);
}

/// Worker 0 runs ahead while worker 1 stands still, as far as the bound lets it.
TEST_CASE("a worker is held up exactly at the bound") {
    for (const std::uint64_t slack : {0U, 1U, 3U}) {
        std::atomic<std::uint64_t> reads{0}; // release after each get; worker 1 acquires to see how far worker 0 came
        run_store(apart(1, 2, 4), training::sgd{}, {.how = bounded_staleness(slack)}, [&](client& c, int w) {
            std::vector<float> got(4);
            if (w == 1) {
                const auto end = std::chrono::steady_clock::now() + patience;
                while (reads.load(std::memory_order_acquire) < slack + 1) {
                    expect(std::chrono::steady_clock::now() < end, "worker 0 comes to the bound");
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                expect(reads.load(std::memory_order_acquire) == slack + 1, "and no further");
                c.tick();
            }
            for (std::uint64_t i = 0; w == 0 && i < slack + 2; ++i, c.tick()) {
                c.get(0, got);
                reads.fetch_add(1, std::memory_order_release);
            }
        });
    }
}

/// Runs two workers, one server and these options. Returns whom the server has lost.
std::vector<int> lost_of(const server_options& serves, const std::function<void(client&, int)>& work) {
    std::vector<int> lost;
    const store_layout layout = apart(1, 2, 4);
    run_new_world(3, [&](communicator& world) {
        const links by(world, layout);
        if (by.server() < 0) {
            client own(by);
            return work(own, by.worker());
        }
        shard_server<training::sgd> own(by, {}, serves);
        own.serve();
        lost = own.lost_workers();
    });
    return lost;
}

TEST_CASE("a worker that is stopped holds up the others for the silence alone, and the server names it") {
    milestone over;
    const server_options serves{.how = bulk_synchronous, .worker_silence = std::chrono::milliseconds(200)};
    const auto lost = lost_of(serves, [&](client& c, int w) {
        std::vector<float> got(4);
        c.tick();
        c.flush();
        if (w == 1) { // as if by SIGSTOP, and then SIGCONT
            over.await("the other one has ended");
            const fault f = fault_of([&] { c.get(0, got); });
            expect(f.why == cause::timeout && f.peer == 2, message_of(f)); // it was this rank that was not there
            return;
        }
        const std::vector<float> down(4, -1);
        for (const double rate : {std::nan(""), -1.})
            expect(fault_of([&] { c.push(0, down, rate); }).why == cause::invalid_argument, "no learning rate");
        c.push(0, down, 1);
        c.tick();
        c.get(0, got);
        expect(got == std::vector<float>(4, 1), "its push has gone through the rule");
        c.close();
        over.reach();
    });
    CHECK(lost == std::vector<int>{2});
}

TEST_CASE("a worker that waits for another one, or that has not begun, is not silent") {
    constexpr auto silence = std::chrono::milliseconds(150);
    const server_options serves{.how = bulk_synchronous, .worker_silence = silence};
    const auto lost = lost_of(serves, [&](client& c, int w) {
        std::vector<float> got(4);
        if (w == 1) {
            std::this_thread::sleep_for(2 * silence); // before its first request
            for (int k = 0; k < 30; ++k) {
                c.get(0, got);
                std::this_thread::sleep_for(silence / 10);
            }
        }
        c.tick();
        c.get(0, got);
        c.close();
    });
    CHECK(lost.empty());
}

TEST_CASE("a server that has no answer yet says that it lives, to those who wait for another worker") {
    constexpr auto silence = std::chrono::milliseconds(200);
    run_store(apart(1, 2, 4), training::sgd{}, {.how = bulk_synchronous, .silence = silence},
              [&](client& c, int w) {
                  if (w == 1) std::this_thread::sleep_for(10 * silence); // before its first request
                  c.tick();
                  std::vector<float> got(4);
                  c.get(0, got);
              },
              {.deadline = 3 * silence});
}

TEST_CASE(
    "a worker that waits for one server is not silent to another one, nor is one that says so while it computes") {
    constexpr auto silence = std::chrono::milliseconds(400);
    const store_layout layout = apart(2, 1, 40, 1, 8);
    std::vector<int> lost;
    run_new_world(3, [&](communicator& world) {
        const links by(world, layout);
        if (by.server() >= 0) {
            shard_server<training::sgd> own(by, {}, {.worker_silence = silence});
            if (by.server() == 1) std::this_thread::sleep_for(3 * silence); // as if it were stopped
            own.serve();
            if (by.server() == 0) lost = own.lost_workers();
            return;
        }
        client c(by, {.sign_every = silence / 3});
        c.tick();
        std::vector<float> got(40);
        c.get(0, got);
        for (int k = 0; k < 20; ++k, std::this_thread::sleep_for(silence / 10)) c.sign();
        c.close();
    });
    CHECK(lost.empty());
}

} // namespace
} // namespace tutti::test::stores

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "server_job.hpp"

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>

namespace tutti::test::stores {
namespace {

constexpr std::size_t region = 24; ///< keys of one worker, which no other one changes
constexpr int steps = 10, two_workers = 2;

/// What happens in a trial follows from its seed, but for the moment at which a death becomes known.
struct trial {
    explicit trial(unsigned seed) : random(seed) {
        const int servers = 2 + below(4), copies = 2 + below(std::min(2, servers - 1));
        layout = apart(servers, two_workers, two_workers * region, copies, servers + below(6));
        how = std::array{training::server::asynchronous, training::server::bounded_staleness(1),
                         training::server::bulk_synchronous}[static_cast<std::size_t>(below(3))];
        auto victims = layout.servers;
        std::shuffle(victims.begin(), victims.end(), random);
        std::vector<int> moments = ranks_from(0, steps);
        std::shuffle(moments.begin(), moments.end(), random);
        for (int left = 1 + below(servers - 1); left > 0; moments.pop_back())
            for (int at_once = std::min(left, 1 + below(copies - 1)); at_once > 0; --at_once, --left)
                deaths.emplace(moments.back(), victims[static_cast<std::size_t>(left)]);
        kills_worker = below(4) == 0;
        if (kills_worker) deaths.emplace(below(steps), layout.workers[1]);
    }
    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

    std::mt19937 random;
    store_layout layout;
    training::server::consistency how;
    std::multimap<int, int> deaths; ///< rank by step of worker 0
    bool kills_worker = false;
};

/// What a trial finds out; each rank writes its own part under the mutex.
struct findings {
    std::mutex mutex;
    std::map<std::uint32_t, std::vector<float>> copies; ///< of the servers that live
    bool copies_differ = false;
    std::atomic<int> acknowledged{0}; ///< by worker 1. Relaxed: read when its death is seen, a lower bound
};

void kill_due(const trial& t, int step, transport::memory_world& fabric) {
    const auto [first, last] = t.deaths.equal_range(step);
    for (auto d = first; d != last; ++d) fabric.kill(d->second);
}

/// Adds 1 to all of its keys, as a range and as a list, and reads its own writes.
void work_until_done(client& c, int w, const trial& t, transport::memory_world& fabric, findings& found) {
    std::mt19937 random(static_cast<unsigned>(w) + 77);
    const std::uint64_t first = static_cast<std::uint64_t>(w) * region;
    const std::vector<float> ones(region, 1);
    std::vector<std::uint64_t> keys(region);
    std::iota(keys.begin(), keys.end(), first);
    std::vector<float> got(region);
    int added = 0, visible = 0;
    for (int step = 0; step < steps; ++step) {
        const int adds = 1 + static_cast<int>(random() % 3);
        for (int i = 0; i < adds; ++i, ++added) {
            if (w == 0 && i == adds - 1) kill_due(t, step, fabric);
            random() % 2 ? c.add(first, ones) : c.add(std::span<const std::uint64_t>(keys), ones);
        }
        // Once this is acknowledged there are as many copies as before, and others may die.
        if (w == 0) c.add(0, std::vector<float>(two_workers * region));
        if (!t.how.is_bulk) visible = added;
        c.get(first, got);
        for (const float x : got)
            expect(x == static_cast<float>(visible),
                   "own updates are there once: " + std::to_string(x) + " for " + std::to_string(visible));
        c.tick();
        visible = added;
        if (w == 1) found.acknowledged.store(added, std::memory_order_relaxed);
    }
    c.get(first, got);
    for (const float x : got) expect(x == static_cast<float>(added), "all updates are there once");
    if (w != 0 || !t.kills_worker) return;
    const int least = found.acknowledged.load(std::memory_order_relaxed);
    c.get(region, got);
    for (const float x : got) expect(x >= static_cast<float>(least), "what a dead worker was told is there");
}

void note_copies(const shard_server<training::sgd>& own, const links& by, findings& found) {
    const std::lock_guard lock(found.mutex);
    for (std::uint32_t g = 0; g < by.where().segments(); ++g) {
        auto values = own.values(g);
        if (values.empty()) continue;
        const auto [at, is_first] = found.copies.try_emplace(g, std::move(values));
        found.copies_differ |= !is_first && at->second != own.values(g);
    }
}

void run(unsigned seed) {
    const trial t(seed);
    findings found;
    gate linked(ranks_of(t.layout)); // a death before is the end of the start
    const auto fabric = transport::memory_world::create(ranks_of(t.layout));
    const auto dies = [&](int rank) {
        return std::any_of(t.deaths.begin(), t.deaths.end(), [=](const auto& d) { return d.second == rank; });
    };
    run_new_world(
        ranks_of(t.layout),
        [&](communicator& world) {
            try {
                const links by(world, t.layout);
                linked.pass();
                if (by.server() >= 0) {
                    shard_server<training::sgd> own(by, {}, {.how = t.how});
                    own.serve();
                    if (!dies(world.rank())) note_copies(own, by, found);
                    return;
                }
                client c(by);
                work_until_done(c, by.worker(), t, *fabric, found);
                c.close();
            } catch (const std::exception& e) {
                if (!dies(world.rank())) throw std::runtime_error("seed " + std::to_string(seed) + ": " + e.what());
            }
        },
        progress::in_calls, fabric);
    // A dead worker's last update may be on its way when the servers end.
    expect(t.kills_worker || !found.copies_differ, "all copies are equal, seed " + std::to_string(seed));
}

/// TUTTI_SERVER_TRIALS=1000 runs as many trials.
int trials() {
    const char* const wanted = std::getenv("TUTTI_SERVER_TRIALS");
    return wanted ? std::atoi(wanted) : effort(10);
}

} // namespace

// A killed rank finds out after half a second, so several worlds run at once.
TEST_CASE("servers that die at random lose no acknowledged update, and nothing hangs") {
    std::atomic<unsigned> next{0}; // relaxed: hands out numbers
    run_ranks(10, [&](int) {
        for (unsigned seed = 0; (seed = next.fetch_add(1, std::memory_order_relaxed)) < unsigned(trials());) run(seed);
    });
}

/// Each time that a worker's updates are acknowledged, there are as many copies as before.
TEST_CASE("servers die one after the other until one is left, and nothing is lost") {
    for (const auto how : {training::server::asynchronous, training::server::bulk_synchronous}) {
        constexpr int servers = 6;
        const auto layout = apart(servers, 2, 50, 2, 12);
        const auto fabric = transport::memory_world::create(ranks_of(layout));
        gate linked(ranks_of(layout));
        run_new_world(
            ranks_of(layout),
            [&](communicator& world) {
                const training::momentum rule{.kept = 0.5};
                const links by(world, layout);
                linked.pass();
                if (by.server() >= 0) return shard_server<training::momentum>(by, rule, {.how = how}).serve();
                client c(by);
                std::vector<float> weights(50), state(50), got(50);
                for (int victim = 0; by.worker() == 0 && victim < servers; ++victim) {
                    const auto g = some_values(50, static_cast<unsigned>(victim));
                    rule.update({static_cast<std::size_t>(victim) + 1, 0.1, 0.1}, {weights, g, {state}});
                    c.push(0, g, 0.1);
                    if (how.is_bulk) c.get(0, got); // the push is under way while its server dies
                    c.tick();
                    if (victim + 1 < servers) fabric->kill(victim);
                }
                for (int step = 0; by.worker() == 1 && step < servers; ++step) c.tick();
                c.get(0, got);
                expect(by.worker() == 1 || got == weights, "all pushes have counted once");
                c.close();
            },
            progress::in_calls, fabric);
    }
}

/// The other server loses its only worker before it hears of the death.
TEST_CASE("a clock that a dying server had to end is ended by the next one, though no worker is left") {
    constexpr std::size_t keys = 12;
    const auto layout = apart(2, 1, keys, 2, 6);
    const auto fabric = transport::memory_world::create(3);
    run_new_world(
        3,
        [&](communicator& world) {
            const links by(world, layout);
            world.barrier();
            if (by.server() >= 0) {
                shard_server<training::sgd> own(by, {}, {.how = training::server::bulk_synchronous});
                own.serve();
                for (std::uint32_t g = 0; by.server() == 1 && g < by.where().segments(); ++g)
                    for (const float x : own.values(g)) expect(x == 1, "the last clock counts");
                return;
            }
            client c(by);
            c.add(0, std::vector<float>(keys, 1));
            c.flush();
            fabric->kill(0);
            c.tick();
            std::uint64_t of_other = 0;
            while (by.where().chain_of(of_other)[0] != 1) expect(++of_other < 6, "the other one is the head of some");
            float got = 0;
            c.get(by.where().keys_of(of_other).first, std::span(&got, 1)); // so it has the tick
        },
        progress::in_calls, fabric);
}

TEST_CASE("servers between which nothing has to go are not silent") {
    constexpr auto silence = std::chrono::milliseconds(300);
    run_store(apart(2, 1, 10), training::sgd{}, {.silence = silence}, [&](client& c, int) {
        const auto end = std::chrono::steady_clock::now() + 2 * silence + std::chrono::milliseconds(1200);
        while (std::chrono::steady_clock::now() < end) {
            c.tick();
            std::this_thread::sleep_for(silence / 30);
        }
    });
}

TEST_CASE("a segment whose only copy dies is a lost peer, though other servers live") {
    const auto layout = apart(4, 1, 40, 1, 8);
    const auto fabric = transport::memory_world::create(5);
    run_new_world(
        5,
        [&](communicator& world) {
            const links by(world, layout);
            world.barrier();
            if (by.server() >= 0) return shard_server<training::sgd>(by, {}).serve();
            client c(by);
            std::vector<float> got(40, 1);
            c.put(0, got);
            c.flush();
            fabric->kill(by.where().chain_of(0)[0]);
            const fault f = fault_of([&] { c.get(0, std::span(got).first(1)); });
            expect(f.why == cause::lost_peer, message_of(f));
        },
        progress::in_calls, fabric);
}

TEST_CASE("a store without a copy left is a lost peer, and names it") {
    const auto layout = apart(1, 1, 4);
    const auto fabric = transport::memory_world::create(2);
    run_new_world(
        2,
        [&](communicator& world) {
            const links by(world, layout);
            world.barrier();
            if (by.server() >= 0) return shard_server<training::sgd>(by, {}).serve();
            client c(by);
            c.add(0, std::vector<float>(4, 1));
            c.tick();
            fabric->kill(0);
            const fault f = fault_of([&] {
                c.add(0, std::vector<float>(4, 1)); // throws if the death is known by then
                c.flush();
            });
            expect(f.why == cause::lost_peer && f.peer == 0, message_of(f));
        },
        progress::in_calls, fabric);
}

} // namespace tutti::test::stores

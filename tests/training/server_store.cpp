// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "server_job.hpp"

#include <training/optimizer.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/milestone.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace tutti::test::stores {
namespace {

using training::server::placement;

TEST_CASE("each key is in one segment, and each segment on as many servers as there are copies") {
    for (const std::uint64_t keys : {1U, 7U, 100U, 1001U})
        for (const int servers : {1, 2, 5})
            for (int copies = 1; copies <= servers; copies += 2) {
                const placement where(apart(servers, 1, keys, copies));
                CAPTURE(keys, servers, copies);
                std::uint64_t next = 0;
                for (std::uint64_t g = 0; g < where.segments(); ++g) {
                    const auto range = where.keys_of(g);
                    REQUIRE(range.first == next);
                    REQUIRE(range.count > 0);
                    REQUIRE(range.count <= where.keys_of(0).count);
                    for (std::uint64_t k = 0; k < range.count; ++k) REQUIRE(where.segment_of(next + k) == g);
                    next += range.count;
                    const auto chain = where.chain_of(g);
                    REQUIRE(where.order_of(g).size() == static_cast<std::size_t>(servers));
                    REQUIRE(std::set<int>(chain.begin(), chain.end()).size() == static_cast<std::size_t>(copies));
                }
                REQUIRE(next == keys);
            }
}

TEST_CASE("without one server, segments of the others stay where they are") {
    const int servers = 6, segments = 600;
    const placement all(apart(servers, 1, segments, 1, segments));
    std::vector<int> load(servers);
    for (int gone = 0; gone < servers; ++gone) {
        store_layout l = apart(servers, 1, segments, 1, segments);
        l.servers.erase(l.servers.begin() + gone);
        const placement fewer(l);
        for (std::uint64_t g = 0; g < segments; ++g) {
            const int before = all.chain_of(g)[0];
            const int after = l.servers[static_cast<std::size_t>(fewer.chain_of(g)[0])];
            REQUIRE((before == gone || before == after));
            load[static_cast<std::size_t>(before)] += before == gone;
        }
    }
    for (const int l : load) {
        CHECK(l > 50); // of 100 on average
        CHECK(l < 170);
    }
}

TEST_CASE("a layout that cannot be is refused") {
    const auto refused = [](const store_layout& l) {
        return fault_of([&] { placement{l}; }).why == cause::invalid_argument;
    };
    CHECK(refused({}));
    CHECK(refused({10, {}, {0}}));
    CHECK(refused({10, {0}, {}}));
    CHECK(refused({10, {0, 0}, {1}}));
    CHECK(refused({10, {0}, {1}, 11}));
    CHECK(refused({10, {0}, {1}, 5, 2}));
    CHECK(refused({10, {0}, {1}, 5, 0}));
}

TEST_CASE("what ranks put and add is what they get, over segments and servers") {
    for (const int servers : {1, 3})
        for (const int workers : {1, 2}) {
            constexpr std::size_t keys = 103;
            run_store(apart(servers, workers, keys), training::sgd{}, {}, [&](client& c, int w) {
                const std::size_t half = keys / 2, first = w == 0 ? 0 : half;
                const auto mine = some_values(half, static_cast<unsigned>(w)), more = some_values(30, 9);
                std::vector<float> got(half);
                c.put(first, mine);
                c.get(first, got);
                expect(got == mine, "a get follows the put before it");
                c.add(first + 10, more);
                c.add(first + 10, more);
                auto sum = mine;
                for (std::size_t i = 0; i < more.size(); ++i) sum[10 + i] = (sum[10 + i] + more[i]) + more[i];
                c.get(first, got);
                expect(got == sum, "an add is added");
                c.get(first + half, std::span<float>{});
                c.put(first, std::span<const float>{});
            });
        }
}

TEST_CASE("many gets are under way at once, and end in any order of waits") {
    constexpr std::size_t keys = 64;
    run_store(apart(2, 2, keys, 1, 16), training::sgd{}, {}, [&](client& c, int w) {
        const auto mine = some_values(keys / 2, static_cast<unsigned>(w));
        const std::size_t first = static_cast<std::size_t>(w) * keys / 2;
        c.put(first, mine);
        std::vector<float> got(200 * keys / 2);
        std::vector<client::ticket> tickets;
        for (std::size_t i = 0; i < 200; ++i)
            tickets.push_back(c.start_get(first, std::span(got).subspan(i * mine.size(), mine.size())));
        std::reverse(tickets.begin(), tickets.end());
        for (const auto t : tickets) c.wait(t);
        for (std::size_t i = 0; i < got.size(); ++i) expect(got[i] == mine[i % mine.size()], "each get is whole");
    });
}

/// One worker's pushes give the weights of an optimizer of that rule.
template <class Rule>
void check_rule(Rule rule) {
    constexpr std::size_t keys = 37;
    run_store(apart(2, 1, keys), rule, {}, [&](client& c, int) {
        auto weights = some_values(keys, 1);
        training::optimizer<Rule> optimizer({{"all", keys}}, rule);
        c.put(0, weights);
        for (unsigned step = 0; step < 5; ++step) {
            const double rate = 0.1 / (1 + step);
            const auto gradients = some_values(keys, 50 + step);
            optimizer.step(rate, weights, gradients);
            c.push(0, gradients, rate);
        }
        std::vector<float> got(keys);
        c.get(0, got);
        expect(got == weights, "the server's rule gives the bits of the optimizer");
    });
}
TEST_CASE("pushes go through the server's rule, whose state is at the shard") {
    check_rule(training::sgd{.decay = 0.01});
    check_rule(training::momentum{.kept = 0.9});
    check_rule(training::momentum{.kept = 0.9, .is = training::velocity::of_steps});
    check_rule(training::adagrad{});
    check_rule(training::adam{});
}

/// A handler of a user: keeps the largest that was pushed.
struct keep_largest {
    static constexpr std::string_view name = "keep largest";
    static constexpr std::size_t states = 0;
    void update(const training::step_facts&, const training::update_range& x) const noexcept {
        for (std::size_t i = 0; i < x.weights.size(); ++i) x.weights[i] = std::max(x.weights[i], x.gradients[i]);
    }
};
TEST_CASE("a user's handler takes pushes, and some keys can be named") {
    run_store(apart(2, 1, 20), keep_largest{}, {}, [](client& c, int) {
        const std::vector<std::uint64_t> keys{1, 2, 3, 11, 19};
        c.push(keys, std::vector<float>{1, 2, 3, 4, 5}, 0);
        c.push(keys, std::vector<float>{5, 1, 1, 1, 9}, 0);
        c.add(std::vector<std::uint64_t>{0, 19}, std::vector<float>{7, 1});
        std::vector<float> got(20), some(5);
        c.get(0, got);
        const std::vector<float> all{7, 5, 2, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 10};
        expect(got == all, "each key has its largest");
        c.get(keys, some);
        expect(some == std::vector<float>{5, 2, 3, 4, 10}, "some keys");
    });
}

TEST_CASE("ranks serve and work at once, with a thread that serves") {
    constexpr int ranks = 3;
    constexpr std::size_t keys = 90;
    const store_layout layout{keys, ranks_from(0, ranks), ranks_from(0, ranks), 0, 2};
    run_new_world(
        ranks,
        [&](communicator& world) {
            const links by(world, layout);
            shard_server<training::sgd> own(by, training::sgd{});
            std::string failure;
            std::thread serving([&] {
                try {
                    own.serve();
                } catch (const std::exception& e) {
                    failure = e.what(); // read when it has been joined
                }
            });
            {
                client c(by);
                for (int i = 0; i < 20; ++i) c.add(0, std::vector<float>(keys, 1));
                c.tick();
                std::vector<float> got(keys);
                c.get(0, got);
                for (const float x : got) expect(x >= 20 && x <= 20 * ranks, "own updates are there");
                c.close();
            }
            serving.join();
            expect(failure.empty(), failure);
            for (std::uint32_t g = 0; g < by.where().segments(); ++g)
                for (const float x : own.values(g)) expect(x == 20 * ranks, "all updates are on all copies");
        },
        progress::by_waiters);
}

TEST_CASE("wrong calls are refused and change nothing") {
    run_store(apart(1, 1, 10), training::sgd{}, {}, [](client& c, int) {
        std::vector<float> two(2);
        const auto refused = [](const std::function<void()>& call) {
            expect(fault_of(call).why == cause::invalid_argument, "it is refused");
        };
        refused([&] { c.get(9, two); });
        refused([&] { c.put(11, {}); });
        refused([&] { c.add(~std::uint64_t{0}, two); });
        refused([&] { c.get(std::vector<std::uint64_t>{2, 2}, two); });
        refused([&] { c.get(std::vector<std::uint64_t>{2, 10}, two); });
        refused([&] { c.get(std::vector<std::uint64_t>{2}, two); });
        c.put(8, std::vector<float>{1, 2});
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
            const std::vector<float> gradients{1, bad};
            refused([&] { c.push(8, gradients, 0.1); });
            refused([&] { c.push(std::vector<std::uint64_t>{8, 9}, gradients, 0.1); });
        }
        c.get(8, two);
        expect(two == std::vector<float>{1, 2}, "the store has what was put");
    });
}

TEST_CASE("a server or a client on a rank that is none is refused, and the store goes on") {
    run_new_world(3, [](communicator& world) {
        const links by(world, apart(1, 1, 10));
        const auto refused = [](const std::function<void()>& call) {
            expect(fault_of(call).why == cause::invalid_argument, "it is refused");
        };
        if (by.worker() < 0) refused([&] { client{by}; });
        if (by.server() < 0) refused([&] { shard_server<training::sgd>(by, {}); });
        if (by.server() >= 0)
            refused([&] { shard_server<training::sgd>(by, {}, {.silence = std::chrono::nanoseconds(0)}); });
        if (by.server() >= 0) refused([&] { shard_server<training::sgd>(by, {.decay = std::nan("")}); });
        if (by.worker() >= 0) refused([&] { client(by, {.window = 0}); });
        world.barrier();
        if (by.server() >= 0) return shard_server<training::sgd>(by, {}).serve();
        if (by.worker() < 0) return;
        client c(by);
        c.add(0, std::vector<float>(10, 1));
        c.close();
    });
}

/// Rank 0's client gives up. Its server goes on, for the other client and as a copy.
TEST_CASE("a client that ends without a goodbye leaves the server of its rank alone") {
    constexpr std::size_t keys = 40;
    const store_layout layout{keys, {0, 1}, {0, 1}, 8, 2};
    gate gone(2);
    run_new_world(
        2,
        [&](communicator& world) {
            const links by(world, layout);
            shard_server<training::sgd> own(by, {});
            std::string failure;
            std::thread serving([&] {
                try {
                    own.serve();
                } catch (const std::exception& e) {
                    failure = e.what(); // read when it has been joined
                }
            });
            {
                client c(by);
                c.add(0, std::vector<float>(keys, 1));
                c.tick();
                if (by.worker() == 1) {
                    gone.pass();
                    c.add(0, std::vector<float>(keys, 1));
                    c.tick();
                    expect(c.servers_lost() == 0, "both servers live");
                    c.close();
                }
            }
            if (by.worker() == 0) gone.pass();
            serving.join();
            expect(failure.empty(), failure);
            for (std::uint32_t g = 0; g < by.where().segments(); ++g)
                for (const float x : own.values(g)) expect(x == 3, "all updates are on both copies");
        },
        progress::by_waiters);
}

/// A server that gives one value more than a get has asked for.
TEST_CASE("an answer with another number of values is refused") {
    namespace wire = training::server::detail;
    for (const bool by_list : {false, true}) {
        gate over(2);
        run_new_world(2, [&](communicator& world) {
            const links by(world, apart(1, 1, 10, 1, 1));
            if (by.server() >= 0) {
                const auto& pair = by.with_worker(1);
                wire::packet_head h;
                pair.receive(h, by.peer(1), wire::requests);
                h.keys = 0;
                h.values = 4;
                pair.send(h, by.peer(1), wire::replies);
                return over.pass();
            }
            client c(by);
            std::vector<float> got(3);
            const fault f = fault_of([&] {
                by_list ? c.get(std::vector<std::uint64_t>{1, 2, 5}, got) : c.get(0, got);
            });
            expect(f.why == cause::mismatch, message_of(f));
            over.pass();
        });
    }
}

TEST_CASE("a request that its segment cannot answer is no valid one") {
    namespace wire = training::server::detail;
    const auto valid = [](wire::packet p) { return wire::is_valid(p, 10); };
    using wire::action;
    CHECK(valid({{.what = action::get, .first = 4, .count = 6}}));
    CHECK_FALSE(valid({{.what = action::get, .first = 4, .count = 7}}));
    CHECK_FALSE(valid({{.what = action::get, .first = ~std::uint64_t{0}, .count = 2}}));
    CHECK_FALSE(valid({{.what = action::get, .count = 1}, {}, {1}}));
    CHECK(valid({{.what = action::add, .first = 8, .count = 2}, {}, {1, 1}}));
    CHECK_FALSE(valid({{.what = action::add, .first = 8, .count = 2}, {}, {1}}));
    CHECK_FALSE(valid({{.what = action::add, .count = 2}, {3, 4}, {1, 1}}));
    CHECK(valid({{.what = action::get, .count = 2, .hash = 1}, {3, 9}}));
    CHECK_FALSE(valid({{.what = action::get, .count = 3, .hash = 1}, {3, 9}}));
    CHECK_FALSE(valid({{.what = action::get, .count = 2, .hash = 1}, {3, 10}}));
    CHECK_FALSE(valid({{.what = action::get, .count = 2, .hash = 1}, {3, 3}}));
}

TEST_CASE("a server that does not serve is a timeout, also for ticks, and one that is gone a lost peer") {
    for (const bool stays : {true, false}) {
        gate over(2);
        run_new_world(2, [&](communicator& world) {
            const links by(world, apart(1, 1, 10));
            if (by.server() >= 0) {
                if (stays) over.pass();
                return;
            }
            client c(by, {.deadline = std::chrono::milliseconds(100)});
            std::vector<float> got(10);
            const fault first = fault_of([&] {
                if (!stays) c.get(0, got);
                for (int i = 0; i < 2; ++i) c.tick(); // the second one waits for the answer to the first
            });
            expect(first.why == (stays ? cause::timeout : cause::lost_peer), message_of(first));
            expect(first.peer == 0, "the server is at fault");
            expect(fault_of([&] { c.flush(); }).why == first.why, "the next call says the same");
            if (stays) over.pass();
        });
    }
}

TEST_CASE("ranks with different layouts are told so") {
    run_new_world(2, [](communicator& world) {
        const fault f = fault_of([&] { links(world, apart(1, 1, world.rank() == 0 ? 10 : 11)); });
        expect(f.why == cause::mismatch, message_of(f));
    });
}

TEST_CASE("servers with different consistencies are told so") {
    milestone told, found; // until told their client stays: without one they would end well
    run_new_world(3, [&](communicator& world) {
        const links by(world, apart(2, 1, 10));
        if (by.server() < 0) return told.await("both servers are told", 2);
        const std::uint64_t slack = by.server() == 0 ? 1 : 2;
        shard_server<training::sgd> own(by, {}, {.how = training::server::bounded_staleness(slack)});
        const fault f = fault_of([&] { own.serve(); });
        if (f.why == cause::mismatch) found.reach();
        told.reach();
        expect(f.why == cause::mismatch || f.why == cause::aborted, message_of(f));
        expect(f.why != cause::mismatch || f.peer == 1 - world.rank(), "it names the other one");
    });
    CHECK(found.reached());
}

TEST_CASE("a server that ends by itself before its first sign ends the others: it may have found them different") {
    milestone told; // until then their client stays: without one server 1 would end well
    run_new_world(3, [&told](communicator& world) {
        const links by(world, apart(2, 1, 10));
        if (by.server() < 0) return told.await("server 1 is told");
        shard_server<training::sgd> own(by, {});
        if (by.server() == 0) return; // as after a failure: it has not served
        const fault f = fault_of([&] { own.serve(); });
        told.reach();
        expect(f.why == cause::aborted, message_of(f));
        expect(f.peer == 0, "it names the other one");
    });
}

TEST_CASE("servers with different rules are told so") {
    milestone told, found; // until told their client stays: without one they would end well
    run_new_world(3, [&](communicator& world) {
        const links by(world, apart(2, 1, 10));
        if (by.server() < 0) return told.await("both servers are told", 2);
        shard_server<training::momentum> own(by, {.kept = by.server() == 0 ? 0.5 : 0.9});
        const fault f = fault_of([&] { own.serve(); });
        if (f.why == cause::mismatch) found.reach();
        told.reach();
        expect(f.why == cause::mismatch || f.why == cause::aborted, message_of(f));
        expect(f.why != cause::mismatch || has(f.detail, "or rule"), "it says so");
    });
    CHECK(found.reached());
}

TEST_CASE("a client that is closed refuses all calls") {
    run_new_world(2, [](communicator& world) {
        const links by(world, apart(1, 1, 10));
        if (by.server() >= 0) return shard_server<training::sgd>(by, {}).serve();
        client c(by);
        std::vector<float> ten(10);
        c.put(0, ten);
        c.close();
        for (const std::function<void()>& call : std::vector<std::function<void()>>{
                 [&] { c.get(0, ten); }, [&] { c.push(0, ten, 0.1); }, [&] { c.flush(); }, [&] { c.tick(); }}) {
            const fault f = fault_of(call);
            expect(f.why == cause::invalid_argument && has(f.detail, "closed"), message_of(f));
        }
    });
}

TEST_CASE("a worker that goes without a goodbye holds up nobody") {
    const auto layout = apart(2, 3, 30);
    run_new_world(ranks_of(layout), [&](communicator& world) {
        const links by(world, layout);
        if (by.server() >= 0)
            return shard_server<training::sgd>(by, {}, {.how = training::server::bulk_synchronous}).serve();
        client c(by);
        std::vector<float> got(30);
        for (int step = 0; step < 3; ++step) {
            c.get(0, got);
            c.push(0, got, 0.1);
            if (by.worker() == 1 && step == 1) return;
            c.tick();
        }
        c.close();
    });
}

} // namespace
} // namespace tutti::test::stores

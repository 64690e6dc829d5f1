// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/simulated.hpp>

#include <collectives/collectives.hpp>

#include "contract/all.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace tutti;
using namespace tutti::test;
using namespace std::chrono_literals;
using transport::simulated;
using transport::simulated_options;
using transport::simulated_world;

namespace {

/// Nodes of two ranks, with a slower network between them.
simulated_options slow_network(int size) {
    simulated_options o;
    o.size = size;
    o.per_node = 2;
    o.price = [](std::size_t bytes, bool far) {
        const std::chrono::nanoseconds stream(bytes / (far ? 2 : 8));
        return transport::message_price{300ns, stream, far ? 5us : 1us, stream, std::chrono::nanoseconds(bytes / 16)};
    };
    return o;
}

class simulated_fixture {
public:
    using transport = simulated;
    static constexpr std::size_t eager_limit = std::size_t{1} << 16;
    static constexpr int many_contexts = 500;

    void run(int ranks, const std::function<void(simulated&)>& body) {
        auto o = slow_network(ranks);
        o.eager_bytes = eager_limit;
        world_ = simulated_world::create(std::move(o));
        world_->run([&](simulated t) { body(t); });
    }
    void kill(int rank) { world_->kill(rank); }

private:
    std::shared_ptr<simulated_world> world_;
};

static_assert(killing_fixture<simulated_fixture>);
static_assert(transport::timed_transport<simulated> && transport::lingering_transport<simulated>);

/// Ranks have no threads, their waits end by the virtual clock, and one port, on which short messages follow long ones.
bool holds_elsewhere(std::string_view sentence) {
    return sentence == "wakes end waits" || sentence == "wakes for nothing burn no core" ||
           sentence == "waits keep their deadline, asleep" || sentence == "huge messages starve nobody";
}

/// Two transfers of a rank with a peer, driven by hand.
struct exchange_by_hand {
    std::vector<std::byte> out, in;
    transport::transfer_queue done;
    transport::transfer sent, received;

    explicit exchange_by_hand(std::size_t bytes) : out(bytes, std::byte{1}), in(bytes, std::byte{2}) {
        sent.from = out.data();
        received.to = in.data();
        received.from = in.data();
        sent.bytes = received.bytes = bytes;
        sent.owner = received.owner = &done;
    }
};

/// A reducer of bytes whose every call computes.
struct computing_sum {
    simulated_world& world;

    [[nodiscard]] reducer as_reducer() const {
        reducer r;
        r.combine = [](std::byte* to, const std::byte* left, const std::byte* right, std::size_t count,
                       const void* state) {
            static_cast<const computing_sum*>(state)->world.compute(2ms);
            for (std::size_t i = 0; i < count; ++i)
                to[i] = std::byte(std::to_integer<int>(left[i]) + std::to_integer<int>(right[i]));
        };
        r.state = this;
        r.is_functor = true;
        return r;
    }
};

/// Ranks make a barrier a second until that fails. Whom each blames, -1 for none.
std::vector<int> blamed_in_barriers(simulated_world& world, int barriers) {
    std::vector<int> blamed(static_cast<std::size_t>(world.size()), -1);
    world.run([&](simulated t) {
        communicator all{std::move(t)};
        all.default_deadline(1h);
        const auto rank = static_cast<std::size_t>(all.rank());
        try {
            for (int i = 0; i < barriers; ++i) {
                world.compute(1s);
                all.barrier();
            }
        } catch (const error& e) {
            blamed[rank] = e.facts().peer;
        }
    });
    return blamed;
}

} // namespace

TEST_CASE("a simulated world keeps the contract") {
    for (const auto& [sentence, check] : contract<simulated_fixture>()) {
        if (holds_elsewhere(sentence)) continue;
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("a simulated world refuses what it has no place for") {
    CHECK_THROWS_AS(simulated_world::create({.size = 0}), error);
    CHECK_THROWS_AS(simulated_world::create({.size = 2, .per_node = -1}), error);
    for (const double x : {0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        CHECK_THROWS_AS(simulated_world::create({.size = 2, .oversubscription = x}), error);
    const auto world = simulated_world::create({.size = 1});
    CHECK_THROWS_AS(world->compute(1s), error);
    world->run([](const simulated& t) { CHECK(t.size() == 1); });
    CHECK_THROWS_AS(world->run([](const simulated&) {}), error);
    const auto other = simulated_world::create({.size = 1});
    CHECK_THROWS_AS(other->run([](simulated t) {
        const communicator world{std::move(t), progress::by_waiters};
    }),
                    error);
}

TEST_CASE("what a rank's program throws comes out of run, the lowest rank's first") {
    const auto world = simulated_world::create({.size = 3});
    CHECK_THROWS_WITH(world->run([](const simulated& t) {
        if (t.rank() > 0) throw std::runtime_error("rank " + std::to_string(t.rank()));
    }),
                      "rank 1");
}

TEST_CASE("waits and computing take virtual time alone") {
    const auto world = simulated_world::create(slow_network(4));
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::chrono::nanoseconds> done(4);
    world->run([&](simulated t) {
        communicator all{std::move(t)};
        const int rank = all.rank();
        all.default_deadline(48h);
        world->compute(rank == 3 ? 24h : 1h);
        all.barrier();
        done[static_cast<std::size_t>(rank)] = world->now();
    });
    for (const auto d : done) {
        CHECK(d > 24h);
        CHECK(d < 24h + 1ms);
    }
    CHECK(std::chrono::steady_clock::now() - begin < 1h);
}

TEST_CASE("a rank that tests its request again and again lets the others get on") {
    const auto world = simulated_world::create(slow_network(3));
    world->run([](simulated t) {
        const communicator all{std::move(t)};
        std::vector<int> data(1000, all.rank());
        auto request = all.async().allreduce(data, sum);
        while (!request.test()) {
        }
        if (data[7] != 3) throw std::runtime_error("the sum is wrong");
    });
    CHECK(world->now() > 5us);
}

TEST_CASE("a wait of some time takes virtual time, however late others are") {
    const auto world = simulated_world::create(slow_network(2));
    int waits = 0;
    world->run([&](simulated t) {
        const communicator all{std::move(t)};
        std::vector<int> data(10, 1);
        if (all.rank() == 1) world->compute(20s);
        auto call = all.async().allreduce(data, sum);
        for (; !call.wait_for(1s); waits += all.rank() == 0) expect(waits < 100, "it ends");
        expect(data[9] == 2, "the sum");
    });
    CHECK((waits > 0 && waits <= 20));
    CHECK((world->now() >= 20s && world->now() < 22s));
}

TEST_CASE("a run in virtual time repeats itself") {
    std::vector<std::string> told(2);
    for (std::string& all_of_it : told) {
        const auto world = simulated_world::create(slow_network(7));
        world->run([&](simulated t) {
            const communicator all{std::move(t)};
            for (int i = 0; i < 5; ++i) {
                world->compute(std::chrono::microseconds(17 * (all.rank() * 31 + i * 7) % 23));
                std::vector<float> data(501, static_cast<float>(all.rank() + i) / 3);
                all.allreduce(data, sum);
                all_of_it += std::to_string(all.rank()) + ' ' + std::to_string(world->now().count()) + ' ' +
                             std::to_string(data[0]) + '\n';
            }
        });
    }
    CHECK(told[0] == told[1]);
}

TEST_CASE("ranks learn of a death in virtual time, and name it") {
    const auto world = simulated_world::create(slow_network(64));
    world->kill_at(5, 10s);
    std::vector<int> blamed(64, -1);
    std::vector<std::chrono::nanoseconds> when(64);
    world->run([&](simulated t) {
        communicator all{std::move(t)};
        const auto rank = static_cast<std::size_t>(all.rank());
        all.default_deadline(1h);
        try {
            for (int i = 0; i < 100; ++i) {
                world->compute(1s);
                all.barrier();
            }
        } catch (const error& e) {
            blamed[rank] = e.facts().peer;
            when[rank] = world->now();
        }
    });
    for (std::size_t r = 0; r < 64; ++r) {
        if (r == 5) continue;
        INFO("rank " << r);
        CHECK(blamed[r] == 5);
        CHECK(when[r] >= 10s);
        CHECK(when[r] < 12s);
    }
}

TEST_CASE("ranks learn of a death at any moment, with messages under way") {
    for (int trial = 0; trial < 40; ++trial) {
        const auto world = simulated_world::create(slow_network(8));
        world->kill_at(5, std::chrono::microseconds(3 * trial + 3));
        std::vector<int> blamed(8, -1);
        world->run([&](simulated t) {
            communicator all{std::move(t)};
            const auto rank = static_cast<std::size_t>(all.rank());
            std::vector<float> data(20'000, 1);
            try {
                for (int i = 0; i < 1000; ++i) all.allreduce(data, sum, algorithm::ring{});
            } catch (const error& e) {
                blamed[rank] = e.facts().peer;
            }
        });
        INFO("trial " << trial);
        for (std::size_t r = 0; r < 8; ++r)
            if (r != 5) CHECK(blamed[r] == 5);
    }
}

TEST_CASE("a rank that never comes is found at the deadline of the others") {
    const auto world = simulated_world::create(slow_network(8));
    std::vector<int> blamed(8, -1);
    world->run([&](simulated t) {
        communicator all{std::move(t)};
        all.default_deadline(1h);
        try {
            if (all.rank() == 2) world->compute(3h);
            all.barrier();
        } catch (const error& e) {
            blamed[static_cast<std::size_t>(all.rank())] = e.facts().peer;
        }
    });
    for (std::size_t r = 0; r < 8; ++r)
        if (r != 2) CHECK(blamed[r] == 2);
    CHECK(world->now() >= 3h);
}

TEST_CASE("a rank may be killed before it begins") {
    for (const bool at_once : {true, false}) {
        const auto world = simulated_world::create(slow_network(4));
        at_once ? world->kill(2) : world->kill_at(2, 0s);
        const auto blamed = blamed_in_barriers(*world, 1);
        for (std::size_t r = 0; r < 4; ++r)
            if (r != 2) CHECK(blamed[r] == 2);
    }
}

TEST_CASE("with rank 0 dies the coordinator, and others judge by themselves") {
    const auto world = simulated_world::create(slow_network(8));
    world->kill_at(0, 10s);
    const auto blamed = blamed_in_barriers(*world, 100);
    CHECK(std::count(blamed.begin() + 1, blamed.end(), 0) == 7);
    CHECK(world->now() < 20s);
}

TEST_CASE("times that no clock has are refused") {
    const auto world = simulated_world::create(slow_network(2));
    CHECK_THROWS_AS(world->kill_at(2, 1s), error);
    CHECK_THROWS_AS(world->kill_at(0, -1s), error);
    world->kill_at(1, std::chrono::nanoseconds::max()); // it does not last as long
    world->run([&](simulated t) {
        const communicator all{std::move(t)};
        CHECK_THROWS_AS(world->compute(-1ns), error);
        CHECK_THROWS_AS(world->compute(std::chrono::nanoseconds::max()), error);
        world->compute(24h * 365);
        all.barrier();
    });
}

TEST_CASE("waits end with the clock") {
    const auto world = simulated_world::create({.size = 1});
    world->run([&](simulated t) {
        world->compute(24h * 365 * 100 - 1s);
        t.wait(t.now() + 1h);
        CHECK(world->now() == 24h * 365 * 100);
        CHECK_THROWS_AS(t.wait(t.now() + 1h), error);
    });
}

TEST_CASE("a rank waits in its own program alone") {
    const auto idle = simulated_world::create({.size = 1});
    simulated outside{idle, 0};
    CHECK_THROWS_AS(outside.wait(outside.now() + 1s), error);
    const auto world = simulated_world::create({.size = 2});
    simulated* zero = nullptr;
    world->run([&](simulated t) {
        if (t.rank() == 0) zero = &t;
        world->compute(1s);
        if (t.rank() == 1) CHECK_THROWS_AS(zero->wait(zero->now() + 1s), error);
        world->compute(1s);
    });
}

TEST_CASE("a price that throws, or is none, ends the call and no more") {
    for (const bool throws : {true, false}) {
        auto o = slow_network(4);
        o.price = [throws](std::size_t bytes, bool) -> transport::message_price {
            if (bytes < 1000) return {};
            if (throws) throw std::runtime_error("no price");
            return {.busy = -1ns};
        };
        const auto world = simulated_world::create(std::move(o));
        int failed = 0;
        world->run([&](simulated t) {
            const communicator all{std::move(t)};
            std::vector<float> data(10'000, 1);
            try {
                all.allreduce(data, sum, algorithm::ring{});
            } catch (const std::exception&) {
                ++failed;
            }
        });
        CHECK(failed == 4);
    }
}

TEST_CASE("ranks that leave take what has come for them") {
    const auto world = simulated_world::create(slow_network(2));
    world->run([&](simulated t) {
        exchange_by_hand x(10);
        auto& channel = t.open({1, 0}, 1 - t.rank());
        t.send(channel, x.sent);
        t.receive(channel, x.received);
        world->compute(1s); // all is there, and neither has looked
        CHECK(t.leave(t.now() + 1h).empty());
        CHECK(x.in == x.out);
        t.close({1, 0});
    });
    CHECK(world->now() < 2s);
}

TEST_CASE("what a rank leaves behind is counted in its bytes") {
    const auto world = simulated_world::create(slow_network(2));
    world->run([&](simulated t) {
        exchange_by_hand x(10);
        auto& channel = t.open({1, 0}, 1 - t.rank());
        if (t.rank() == 1) return world->compute(1h);
        t.send(channel, x.sent);
        const auto left = t.leave(t.now() + 1s);
        REQUIRE(left.size() == 1);
        CHECK(left[0].peer == 1);
        CHECK(left[0].bytes == 10);
        t.close({1, 0});
    });
}

TEST_CASE("a reducer that computes reads what was sent, whatever becomes of the sender's memory") {
    auto o = slow_network(2);
    o.eager_bytes = 0;
    const auto world = simulated_world::create(std::move(o));
    world->run([&](simulated t) {
        const computing_sum operation{*world};
        const reducer by = operation.as_reducer();
        auto x = std::make_unique<exchange_by_hand>(1000);
        auto& channel = t.open({1, 0}, 1 - t.rank());
        if (t.rank() == 0) {
            t.send(channel, x->sent);
            world->compute(1ms); // the other one is in the middle of its reduction
            t.close({1, 0});
            std::ranges::fill(x->out, std::byte{99});
            return x.reset();
        }
        x->received.reduce = &by;
        t.receive(channel, x->received);
        while (!x->done.pop()) {
            t.wait(t.now() + 1s);
            t.progress();
        }
        CHECK(std::ranges::count(x->in, std::byte{3}) == 1000);
        t.close({1, 0});
    });
}

TEST_CASE("a recording has virtual times") {
    const auto world = simulated_world::create(slow_network(2));
    world->run([&](simulated t) {
        const communicator all{std::move(t)};
        auto recording = all.record(100);
        world->compute(1h);
        all.barrier();
        const auto steps = recording.stop().activities;
        REQUIRE(!steps.empty());
        for (const auto& s : steps) CHECK((s.begin_s >= 3600 && s.begin_s <= s.end_s && s.end_s < 3601));
    });
}

TEST_CASE("of 1,000 ranks some die, and all others end with an error that blames one of them") {
    constexpr int ranks = 1000;
    const auto world = simulated_world::create(slow_network(ranks));
    std::mt19937_64 random{2026};
    std::vector<int> dead;
    for (int k = 0; k < 5; ++k) {
        dead.push_back(1 + static_cast<int>(random() % (ranks - 1)));
        world->kill_at(dead.back(), std::chrono::milliseconds(500 + random() % 1000));
    }
    const auto blamed = blamed_in_barriers(*world, 100);
    for (int r = 0; r < ranks; ++r)
        if (std::ranges::count(dead, r) == 0)
            REQUIRE(std::ranges::count(dead, blamed[static_cast<std::size_t>(r)]) > 0);
    CHECK(world->now() < 10s);
}

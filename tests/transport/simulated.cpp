// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/simulated.hpp>

#include <collectives/collectives.hpp>

#include "contract/all.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <functional>
#include <memory>
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
    return sentence == "wakes end waits" || sentence == "waits keep their deadline, asleep" ||
           sentence == "huge messages starve nobody";
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
    const auto world = simulated_world::create({.size = 1});
    CHECK_THROWS_AS(world->compute(1s), error);
    world->run([](const simulated& t) { CHECK(t.size() == 1); });
    CHECK_THROWS_AS(world->run([](const simulated&) {}), error);
    const auto other = simulated_world::create({.size = 1});
    CHECK_THROWS_AS(other->run([](simulated t) {
        const communicator world{std::move(t), progress::in_thread};
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

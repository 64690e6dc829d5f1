// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/invitation.hpp>

#include <collectives/collectives.hpp>
#include <transport/routed.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/expect.hpp"
#include "support/has.hpp"
#include "support/run_ranks.hpp"
#include "support/surroundings.hpp"
#include "support/world.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using namespace tutti;
using test::expect;
using test::has;

namespace {

const test::variables on_loopback{{"TUTTI_INTERFACE", "lo"}};

using near_and_far = transport::routed<transport::shared_memory, transport::tcp>;

/// Ranks that know nothing but the text make a world and sum their numbers.
template <class Transport>
void sum_over() {
    const std::string text = invitation::create("127.0.0.1").text();
    test::run_ranks(3, [&](int rank) {
        communicator world{Transport{invitation{text}.as(rank, 3)}};
        expect(world.rank() == rank && world.size() == 3, "the place that was asked for");
        expect(world.allreduce(rank + 1, sum) == 6, "the sum");
    });
}

std::string refusal_of(const std::string& text, int rank, int size) {
    try {
        static_cast<void>(invitation{text}.as(rank, size));
    } catch (const error& e) {
        return e.why() == cause::bootstrap ? e.what() : "not a bootstrap error";
    }
    return {};
}

} // namespace

TEST_CASE("ranks join by an invitation, over every transport of processes", "[invitation]") {
    const test::surroundings none(on_loopback);
    sum_over<transport::tcp>();
    sum_over<transport::shared_memory>();
    sum_over<near_and_far>();
}

TEST_CASE("the text fits into 128 bytes and is a value", "[invitation]") {
    const test::surroundings none(on_loopback);
    const auto mine = invitation::create();
    CHECK(mine.text().size() <= invitation::most_characters);
    CHECK(has(mine.text(), "@127.0.0.1:"));
    CHECK(invitation{mine}.text() == mine.text());
    CHECK(invitation::create().text() != mine.text());
}

TEST_CASE("the port is one of those that are let through", "[invitation]") {
    const test::surroundings some({{"TUTTI_INTERFACE", "lo"}, {"TUTTI_PORTS", "24100-24163"}});
    const auto me = invitation::create().as(0, 1);
    CHECK(me.rendezvous.port >= 24'100);
    CHECK(me.rendezvous.port <= 24'163);
}

TEST_CASE("rank 0 is the process that made it, for one communicator", "[invitation]") {
    const test::surroundings none(on_loopback);
    const std::string text = invitation::create().text();
    CHECK(refusal_of(text, 1, 2).empty());
    CHECK(refusal_of(text, 0, 1).empty());
    CHECK(test::in_child([&] { return has(refusal_of(text, 0, 1), "does not hold the port"); }) == "");
    { const transport::tcp world{invitation{text}.as(0, 1)}; }
    CHECK(has(refusal_of(text, 0, 1), "does not hold the port"));
}

TEST_CASE("a place that cannot be, or a text that is none, is refused", "[invitation]") {
    const test::surroundings none(on_loopback);
    const std::string text = invitation::create().text();
    CHECK(has(refusal_of(text, 2, 2), "rank 2 of 2"));
    CHECK(has(refusal_of(text, -1, 2), "rank -1 of 2"));
    CHECK(has(refusal_of(text, 0, 0), "rank 0 of 0"));
    CHECK(has(refusal_of("garbage", 0, 1), "none of this library"));
    CHECK_THROWS_AS(invitation::create("192.0.2.1.invalid"), error);
}

TEST_CASE("who has another secret does not get in", "[invitation]") {
    const test::surroundings none({{"TUTTI_INTERFACE", "lo"}, {"TUTTI_BOOTSTRAP_TIMEOUT", "1"}});
    std::string text = invitation::create().text();
    char& digit = text[text.find('@') - 1];
    const std::string right = text;
    digit = digit == '0' ? '1' : '0';
    std::string told;
    try {
        test::run_ranks(
            2, [&](int rank) { const transport::tcp world{invitation{rank == 0 ? right : text}.as(rank, 2)}; });
    } catch (const std::exception& e) {
        told = e.what();
    }
    CHECK(has(told, "rank 0: tutti:"));
    CHECK_FALSE(has(told, text.substr(8, 64)));
}

TEST_CASE("a secret of the program's own is asked for beside the invitation", "[invitation]") {
    const test::surroundings none({{"TUTTI_INTERFACE", "lo"}, {"TUTTI_BOOTSTRAP_TIMEOUT", "1"}});
    const auto world_of = [](const std::string& first, const std::string& second) {
        const std::string text = invitation::create().text();
        try {
            test::run_ranks(2, [&](int rank) {
                invitation mine{text};
                const std::string& own = rank == 0 ? first : second;
                const transport::tcp world{(own.empty() ? mine : mine.with_secret(own)).as(rank, 2)};
            });
        } catch (const std::exception&) {
            return false;
        }
        return true;
    };
    const std::string own = "known to the program alone", other = "known to somebody else also";
    CHECK(world_of(own, own));
    CHECK_FALSE(world_of(own, other));
    CHECK_FALSE(world_of(own, ""));
    CHECK_THROWS_AS(invitation::create().with_secret("short"), error);
    CHECK_THROWS_AS(invitation::create().with_secret(""), error);
}

TEST_CASE("ranks wait for each other for as long as as() says", "[invitation]") {
    const test::surroundings none(on_loopback);
    const auto mine = invitation::create();
    const auto begun = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(transport::tcp{mine.as(0, 2, std::chrono::milliseconds(300))}, error);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20)); // of 60 by default
    CHECK(mine.as(1, 2, std::chrono::hours(24)).timeout == std::chrono::hours(24));
    for (const auto wrong : {std::chrono::milliseconds(0), std::chrono::milliseconds(24 * 3'600'000 + 1)})
        CHECK_THROWS_AS(mine.as(1, 2, wrong), error);
}

TEST_CASE("what rank 0 could not make is told by a text in place of the invitation", "[invitation]") {
    const std::string text = invitation::refusal("no port of 5000-5001 is free: \"address = in use\"");
    CHECK(text.size() <= invitation::most_characters);
    CHECK(text.find_first_of(" =\"'") == text.npos);
    CHECK(has(refusal_of(text, 1, 2), "rank 0 could not invite: no port of 5000-5001 is free:  address   in use"));
    const std::string longest = invitation::refusal(std::string(1000, 'x'));
    CHECK(longest.size() == invitation::most_characters);
    CHECK(has(refusal_of(longest, 1, 2), "xxx"));
}

namespace {

/// A store of keys and values.
struct store {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, std::string> all;

    [[nodiscard]] key_value_exchange exchange() {
        return {[this](const std::string& key, const std::string& value) {
                    const std::lock_guard lock(mutex);
                    all[key] = value;
                    changed.notify_all();
                },
                [this](const std::string& key, auto until) {
                    std::unique_lock lock(mutex);
                    if (!changed.wait_until(lock, until, [&] { return all.contains(key); }))
                        throw std::runtime_error("no such key");
                    return all[key];
                }};
    }
};

std::string bootstrap_error_of(auto&& call) {
    try {
        call();
    } catch (const error& e) {
        return e.why() == cause::bootstrap ? e.what() : "not a bootstrap error";
    }
    return {};
}

} // namespace

TEST_CASE("ranks find each other through a store of the program's", "[invitation]") {
    const test::surroundings none(on_loopback);
    store all;
    for (const std::string key : {"first", "second"})
        test::run_ranks(3, [&](int rank) {
            communicator world{transport::tcp{join_through(all.exchange(), key, rank, 3)}};
            expect(world.allreduce(rank + 1, sum) == 6, "the sum");
        });
    CHECK(all.all.size() == 2);
    test::run_ranks(2, [&](int rank) {
        auto me = join_through(all.exchange(), "third", rank, 2);
        me.key = transport::bootstrap::secret("known to the program alone");
        communicator world{transport::shared_memory{std::move(me)}};
        world.barrier();
    });
    CHECK(has(all.all["third"], "tutti-1:@")); // no secret lies in the store
    for (const int has_one : {0, 1}) {         // whoever writes the store cannot bring in a secret, nor take one away
        const std::string key = "of " + std::to_string(has_one);
        auto me = join_through(all.exchange(), key, 0, 2, std::chrono::milliseconds(300));
        auto other = join_through(all.exchange(), key, 1, 2, std::chrono::milliseconds(300));
        (has_one == 0 ? me : other).key = transport::bootstrap::secret("known to the program alone");
        transport::bootstrap::exchange_offers(me);
        const auto told = bootstrap_error_of([&] { transport::bootstrap::exchange_offers(other); });
        CHECK(has(told, has_one == 0 ? "rank 0 was given a secret" : "this rank was given a secret"));
        CHECK(transport::bootstrap::held_ports::list().take(me.rendezvous));
    }
}

TEST_CASE("a store that fails, or that holds why rank 0 has failed, ends the start at once", "[invitation]") {
    const test::surroundings some(test::variables{{"TUTTI_INTERFACE", "none_such"}});
    store all;
    const auto begun = std::chrono::steady_clock::now();
    test::run_ranks(2, [&](int rank) {
        const auto told =
            bootstrap_error_of([&] { const transport::tcp world{join_through(all.exchange(), "it", rank, 2)}; });
        expect(has(told, "no network interface fits"), told);
        expect(rank == 0 || has(told, "rank 0 could not invite: no network interface"), told);
    });
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(20));
    const auto told = bootstrap_error_of([&] {
        const transport::tcp world{join_through(all.exchange(), "none", 1, 2, std::chrono::milliseconds(200))};
    });
    CHECK(has(told, "the store fails for \"none\": no such key"));
    {
        const test::surroundings wrong(test::variables{{"TUTTI_PORTS", "x"}});
        CHECK_FALSE(
            bootstrap_error_of([&] { static_cast<void>(join_through(all.exchange(), "wrong", 0, 2)); }).empty());
        CHECK(has(all.all["wrong"], "tutti-none:"));
    }
    const test::surroundings few(test::variables{{"TUTTI_INTERFACE", "lo"}, {"TUTTI_PORTS", "24170-24171"}});
    for (int k = 0; k < 5; ++k) { // no port stays taken
        const key_value_exchange broken{[](const std::string&, const std::string&) { throw std::runtime_error("no"); },
                                        [](const std::string&, auto) { return std::string(); }};
        CHECK(has(bootstrap_error_of([&] { const transport::tcp w{join_through(broken, "it", 0, 2)}; }), "it\": no"));
    }
}

TEST_CASE("errors tell the program's names of ranks, and the number in the communicator of the call", "[invitation]") {
    const test::surroundings none(on_loopback);
    const std::string text = invitation::create().text();
    std::array<fault, 3> first, second;
    test::run_ranks(3, [&](int rank) {
        auto me = invitation{text}.as(rank, 3);
        me.group = "tp3";
        me.global_rank = 10 + 2 * rank;
        communicator world{transport::tcp{std::move(me)}};
        world.default_deadline(std::chrono::milliseconds(300));
        auto pair = world.split(rank == 0 ? 0 : 1, 0, "a pair");
        if (rank == 1) first[1] = test::fault_of([&] { pair.barrier(); });
        if (rank != 2) second[static_cast<std::size_t>(rank)] = test::fault_of([&] { world.barrier(); });
        if (rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    });
    INFO(message_of(first[1]) << '\n' << message_of(second[0]));
    CHECK(first[1].peer == 2);
    CHECK(first[1].peer_in_call == 1);
    CHECK(first[1].global_peer == 14);
    CHECK(first[1].group == "tp3");
    CHECK(has(message_of(first[1]), "barrier in a pair, step"));
    CHECK(has(message_of(first[1]), ", rank 2 of group tp3, global rank 14 (1 of its communicator) on "));
    CHECK(second[0].peer_in_call == 2);
    CHECK(has(message_of(second[0]), ", rank 2 of group tp3, global rank 14 on "));
    auto me = invitation::create().as(0, 1);
    me.group = std::string(64, 'x');
    CHECK(has(bootstrap_error_of([&] { const transport::tcp world{std::move(me)}; }), "more than 63 bytes"));
}

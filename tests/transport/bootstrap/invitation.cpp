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

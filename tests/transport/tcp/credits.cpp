// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/flow/credits.hpp>

#include "support/catch.hpp"

#include <random>

using namespace tutti::transport::detail::tcp;

namespace {
constexpr std::uint64_t window = 1000;
}

TEST_CASE("a sender begins with the window and gets what it is granted") {
    allowance a{window};
    CHECK(a.left() == 1000);
    a.spend(900);
    CHECK(a.left() == 100);
    a.raise(1500);
    CHECK(a.left() == 600);
}

TEST_CASE("a grant that comes late does not take a newer one back") {
    allowance a{window};
    a.raise(3000);
    a.raise(2000);
    CHECK(a.left() == 3000);
}

TEST_CASE("small receives are granted together, once for half a window") {
    grant g{window};
    for (int i = 0; i < 4; ++i) {
        g.post(100);
        CHECK_FALSE(g.due());
    }
    g.post(100);
    REQUIRE(g.due());
    CHECK(g.tell() == 1500);
    CHECK_FALSE(g.due());
}

TEST_CASE("a grant waits for something to go with until three quarters of the window are untold") {
    grant g{window};
    g.post(749);
    CHECK(g.due());
    CHECK_FALSE(g.urgent());
    g.post(1);
    CHECK(g.urgent());
    CHECK(g.tell() == 1750);
    CHECK_FALSE(g.urgent());
}

TEST_CASE("a large receive is granted at once") {
    grant g{window};
    g.post(1'000'000);
    REQUIRE(g.urgent());
    CHECK(g.tell() == 1'001'000);
}

TEST_CASE("more than was granted is noticed") {
    grant g{window};
    CHECK(g.arrive(1000));
    CHECK_FALSE(g.arrive(1));
    grant other{window};
    other.post(600);
    CHECK(other.tell() == 1600);
    CHECK(other.arrive(1600));
    CHECK_FALSE(other.arrive(1));
}

TEST_CASE("a grant that is due but not told does not count") {
    grant g{window};
    g.post(10'000);
    CHECK_FALSE(g.arrive(1001));
}

TEST_CASE("a message longer than its receive is granted the rest, a shorter one gives back") {
    grant g{window};
    g.post(600);
    CHECK(g.tell() == 1600);
    g.correct(600, 2600);
    REQUIRE(g.due());
    CHECK(g.tell() == 3600);
    g.correct(2600, 100);
    CHECK_FALSE(g.due());
    CHECK(g.tell() == 3600);
    g.post(2500);
    CHECK_FALSE(g.due());
    g.post(500);
    CHECK(g.due());
}

TEST_CASE("whatever is posted, its sender has credit for it as soon as it is told what is urgent") {
    std::mt19937_64 random{7};
    allowance sender{window};
    grant receiver{window};
    std::uint64_t posted = 0;
    std::uint64_t spent = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t cost = 1 + random() % 700;
        receiver.post(cost);
        posted += cost;
        if (receiver.urgent() || (receiver.due() && random() % 4 == 0)) sender.raise(receiver.tell());
        REQUIRE(sender.left() + spent >= posted);
        REQUIRE(sender.left() + spent <= posted + window);
        const std::uint64_t now = std::min(sender.left(), random() % 1000);
        sender.spend(now);
        spent += now;
        REQUIRE(receiver.arrive(now));
    }
}

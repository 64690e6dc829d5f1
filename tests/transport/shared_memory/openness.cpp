// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory/card.hpp>

#include "support/catch.hpp"

#include <string>

using namespace tutti::transport::detail::shm;

namespace {

openness plain() {
    openness who;
    who.processes = 1, who.users = 2, who.user = 1000, who.group = 1000;
    return who;
}

/// What keeps the two apart, which must be the same the other way round.
std::string between(const openness& a, const openness& b) {
    const auto one = barrier_between(a, b);
    CHECK(one == barrier_between(b, a));
    return one;
}

bool tells(const std::string& barrier, const char* what) { return barrier.find(what) != std::string::npos; }

} // namespace

TEST_CASE("processes of one user in one container may open each other") {
    CHECK(between(plain(), plain()).empty());
    CHECK(barrier_between(openness::own(), openness::own()).empty());
}

TEST_CASE("other containers, users, groups, rights and capabilities keep processes apart, both ways alike") {
    const openness a = plain();
    const auto with = [&](auto change) {
        openness b = a;
        change(b);
        return between(a, b);
    };
    CHECK(tells(with([](openness& b) { b.processes = 9; }), "containers"));
    CHECK(tells(with([](openness& b) { b.users = 9; }), "users or groups"));
    CHECK(tells(with([](openness& b) { b.user = 9; }), "users or groups"));
    CHECK(tells(with([](openness& b) { b.group = 9; }), "users or groups"));
    CHECK(tells(with([](openness& b) { b.is_readable = false; }), "not read"));
    CHECK(tells(with([](openness& b) { b.might = 1; }), "capabilities"));
}

TEST_CASE("who may trace all opens all of its users, but not those of other containers") {
    openness root = plain();
    root.user = root.group = 0;
    root.opens_all = true, root.may = root.might = ~std::uint64_t{0};
    openness equal = root;
    CHECK(between(root, equal).empty());
    equal.is_readable = false;
    CHECK(between(root, equal).empty());
    CHECK(tells(between(root, plain()), "users or groups")); // the other may not open root's
    equal.processes = 9;
    CHECK(tells(between(root, equal), "containers"));
}

TEST_CASE("a card says what its rank is, whatever that is") {
    openness who = plain();
    who.opens_all = true, who.is_readable = false, who.may = 5, who.might = 7;
    const auto told = card::decoded(card{3, 4, "why", who}.encoded());
    REQUIRE(told);
    CHECK(told->file == 3);
    CHECK(told->key == 4);
    CHECK(told->why_not == "why");
    CHECK(told->open == who);
}

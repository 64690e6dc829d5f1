// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/shared_memory/card.hpp>

#include <transport/fabrics/shared_memory/own_segment.hpp>
#include <transport/fabrics/shared_memory/peer.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <string>

using namespace tutti::transport::detail::shm;

namespace {

openness plain() {
    openness who;
    who.processes = 1, who.users = 2, who.user = 1000, who.group = 1000;
    return who;
}

/// What rank 0 is told where it opens the memory of rank 1, of that process; and whom it holds at fault.
tutti::fault fault_of_opening(pid_t process, const own_segment& its) {
    tutti::transport::bootstrap::member m;
    m.rank = 1;
    m.pid = process;
    try {
        const peer opened(m, card{its.file(), its.key()}, 0);
    } catch (const tutti::error& e) {
        return e.facts();
    }
    return {};
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

TEST_CASE("a rank that has no descriptor for another one's memory names itself, whichever it lacks") {
    const own_segment its;
    REQUIRE(fault_of_opening(::getpid(), its).detail.empty());
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const int next = ::dup(0); // the lowest that is free
    REQUIRE(next > 0);
    ::close(next);
    for (int spare = 0; spare < 2; ++spare) { // none for the memory, none to watch the process
        const rlimit few{static_cast<rlim_t>(next + spare), before.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
        CHECK(fault_of_opening(::getpid(), its).detail.empty()); // the limit is raised
    }
    const auto ended = tutti::test::in_child([&] {
        int wrong = 0;
        for (int spare = 0; spare < 2; ++spare) {
            const auto most = static_cast<rlim_t>(next + 1 - spare); // a hard limit is never raised again
            const rlimit none{most, most};
            wrong += ::setrlimit(RLIMIT_NOFILE, &none) != 0;
            const auto told = fault_of_opening(::getppid(), its);
            wrong +=
                told.peer != 0 || told.detail.find("rank 0 cannot open the shared memory of rank 1: it has run out "
                                                   "of file descriptors") == std::string::npos;
        }
        return wrong == 0;
    });
    CHECK(ended == "");
    ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("of a rank that has ended, its own output is what helps") {
    const own_segment its;
    tutti::test::child rank([] {});
    REQUIRE(rank.end() == "");
    const auto told = fault_of_opening(rank.pid(), its);
    CHECK(told.peer == 1);
    CHECK(told.detail.find("its process has ended") != std::string::npos);
    CHECK(told.remedy == "look at that rank's own output for why it ended");
}

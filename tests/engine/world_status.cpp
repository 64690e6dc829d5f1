// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/world_status.hpp>

#include "support/catch.hpp"

#include <vector>

using tutti::cause;
using tutti::engine::world_status;
using tutti::transport::notice;
using tutti::transport::notice_kind;

namespace {

notice about(notice_kind kind, int rank, const char* how) {
    notice n;
    n.kind = kind;
    n.rank = rank;
    n.text = how;
    return n;
}
notice verdict(std::uint64_t communicator, const char* text) {
    notice n;
    n.kind = notice_kind::verdict;
    n.communicator = communicator;
    n.text = text;
    return n;
}

} // namespace

TEST_CASE("everyone is here until something else is said") {
    world_status c(3);
    for (int r = 0; r < 3; ++r) CHECK(c.of(r) == world_status::presence::here);
    CHECK(c.lost().empty());
    CHECK(c.verdict_on(1) == nullptr);
}

TEST_CASE("it knows who is lost and how, and who has left") {
    world_status c(3);
    c.record(about(notice_kind::departed, 0, ""));
    CHECK(c.of(0) == world_status::presence::left);
    CHECK(c.lost().empty());
    c.record(about(notice_kind::lost, 2, "its connection ended"));
    CHECK(c.of(2) == world_status::presence::lost);
    CHECK(c.how(2) == "its connection ended");
    CHECK(c.lost() == std::vector{2});
    CHECK(c.of(1) == world_status::presence::here);
}

TEST_CASE("a rank that is gone is at fault itself, or who had made its calls fail before") {
    world_status c(4);
    auto n = about(notice_kind::lost, 2, "it was killed");
    c.record(n); // nothing is said of who is at fault
    CHECK(c.culprit(2) == 2);
    CHECK(c.why(2) == cause::lost_peer);
    n = about(notice_kind::departed, 1, "rank 3 does not answer; after that rank 1 has left");
    n.why = cause::timeout;
    n.peer = 3;
    c.record(n);
    CHECK(c.culprit(1) == 3);
    CHECK(c.why(1) == cause::timeout);
    n = about(notice_kind::lost, 0, "it was killed");
    n.why = cause::lost_peer;
    n.peer = 7; // there is none
    c.record(n);
    CHECK(c.culprit(0) == 0);
    CHECK(c.lost() == std::vector<int>{2, 0}); // the first first
}

TEST_CASE("ranks that do not exist change nothing") {
    world_status c(2);
    c.record(about(notice_kind::lost, 2, ""));
    c.record(about(notice_kind::lost, -1, ""));
    CHECK(c.lost().empty());
}

TEST_CASE("a communicator's first verdict counts") {
    world_status c(2);
    c.record(verdict(5, "first"));
    c.record(verdict(6, "other"));
    c.record(verdict(5, "second"));
    REQUIRE(c.verdict_on(5) != nullptr);
    CHECK(c.verdict_on(5)->text == "first");
    CHECK(c.verdict_on(6)->text == "other");
    CHECK(c.verdict_on(7) == nullptr);
}

TEST_CASE("the oldest of very many verdicts are forgotten") {
    world_status c(2);
    for (std::uint64_t id = 1; id <= 1000; ++id) c.record(verdict(id, ""));
    CHECK(c.verdict_on(1) == nullptr);
    CHECK(c.verdict_on(900) != nullptr);
    CHECK(c.verdict_on(1000) != nullptr);
}

TEST_CASE("of ranks that were lost within a second the first counts that the program does not know of") {
    using namespace std::chrono_literals;
    const tutti::transport::clock::time_point begin{10h};
    world_status c(6);
    CHECK(c.lately_lost(begin) == -1);
    c.record(about(notice_kind::lost, 4, "it was killed"), begin);
    c.record(about(notice_kind::lost, 2, "it was killed"), begin + 2s);
    c.record(about(notice_kind::lost, 3, "it was killed"), begin + 2s);
    CHECK(c.lately_lost(begin + 900ms) == 4);
    CHECK(c.lately_lost(begin + 3s) == 2); // 4 was lost long before
    c.note_known(2);
    CHECK(c.lately_lost(begin + 3s) == 3);
    CHECK(c.lately_lost(begin + 4s) == -1);
}

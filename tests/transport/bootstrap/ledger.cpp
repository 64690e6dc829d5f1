// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/bootstrap/ledger.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"

#include <limits>
#include <random>

using namespace tutti;
using namespace tutti::transport;
using bootstrap::ledger;
using namespace std::chrono_literals;
using kind = notice_kind;

namespace {

const clock::time_point start{};
constexpr std::uint64_t world = 7;

notice report(kind k, int peer, int members, std::uint64_t request = 1, std::string call = "allreduce(ring)") {
    notice n;
    n.kind = k;
    n.communicator = world;
    n.members = members;
    n.peer = peer;
    n.request = request;
    n.call = std::move(call);
    return n;
}

notice spoken(kind k, int peer = -1, std::string text = {}) {
    notice n;
    n.kind = k;
    n.peer = peer;
    n.communicator = world;
    n.text = std::move(text);
    return n;
}

/// Who is told something of that kind.
std::vector<int> told(const std::vector<ledger::outgoing>& all, kind k) {
    std::vector<int> out;
    for (const auto& o : all)
        if (o.what.kind == k) out.push_back(o.to);
    return out;
}

notice verdict_in(const std::vector<ledger::outgoing>& all) {
    for (const auto& o : all)
        if (o.what.kind == kind::verdict) return o.what;
    FAIL("no verdict");
    return {};
}

using tutti::test::has;

using ranks = std::vector<int>;

} // namespace

TEST_CASE("a lost rank is announced once to every other rank", "[ledger]") {
    ledger l(4);
    l.lost(2, "connection reset", start);
    const auto all = l.drain();
    CHECK(told(all, kind::lost) == ranks{0, 1, 3});
    CHECK(all[0].what.rank == 2);
    CHECK(has(all[0].what.text, "connection reset"));
    l.lost(2, "again", start);
    l.take(0, spoken(kind::unreachable, 2), start);
    l.tick(start + 1h);
    CHECK(l.drain().empty());
}

TEST_CASE("an unreachable rank is lost after a grace, in which it may turn out to have left", "[ledger]") {
    ledger l(3);
    l.take(0, spoken(kind::unreachable, 1, "connection reset"), start);
    CHECK(l.drain().empty());
    REQUIRE(l.next_tick() == start + ledger::accusation_grace);

    SECTION("it is lost") {
        l.tick(l.next_tick());
        const auto all = l.drain();
        CHECK(told(all, kind::lost) == ranks{0, 2});
        CHECK(has(all[0].what.text, "rank 0 cannot reach it: connection reset"));
    }
    SECTION("it has left") {
        l.take(1, spoken(kind::left), start + 1ms);
        CHECK(l.next_tick() == clock::time_point::max());
        l.tick(start + 1h);
        const auto all = l.drain();
        CHECK(told(all, kind::departed) == ranks{0, 2});
        CHECK(told(all, kind::lost).empty());
    }
    CHECK(l.next_tick() == clock::time_point::max());
}

TEST_CASE("after a rank has left, losing its connection or not reaching it means nothing", "[ledger]") {
    ledger l(3);
    l.take(1, spoken(kind::left), start);
    CHECK(told(l.drain(), kind::departed) == ranks{0, 2});
    l.lost(1, "closed", start);
    l.take(0, spoken(kind::unreachable, 1), start);
    l.take(1, spoken(kind::left), start);
    l.tick(start + 1h);
    CHECK(l.drain().empty());
}

TEST_CASE("abort is a verdict for all ranks, and for later reports on that communicator", "[ledger]") {
    ledger l(3);
    l.take(1, spoken(kind::abort, -1, "diverged"), start);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{0, 1, 2});
    CHECK(verdict_in(all).why == cause::aborted);
    CHECK(verdict_in(all).peer == 1);
    CHECK(verdict_in(all).text == "diverged");
    l.take(2, report(kind::timeout, 0, 3), start + 1s);
    const auto later = l.drain();
    CHECK(told(later, kind::verdict) == ranks{2});
    CHECK(verdict_in(later).why == cause::aborted);
    CHECK(l.next_tick() == clock::time_point::max());
}

TEST_CASE("the first timeout asks all others, and the verdict blames the root of the waiting", "[ledger]") {
    ledger l(4);
    l.take(0, report(kind::timeout, 1, 4), start);
    CHECK(told(l.drain(), kind::inquiry) == ranks{1, 2, 3});
    l.take(3, report(kind::timeout, 0, 4), start + 1ms);
    CHECK(l.drain().empty());
    l.take(1, report(kind::waiting, 2, 4), start + 2ms);
    CHECK(l.drain().empty());
    l.tick(start + ledger::case_grace - 1ms);
    CHECK(l.drain().empty());
    l.tick(start + ledger::case_grace);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{0, 1, 2, 3});
    const auto v = verdict_in(all);
    CHECK(v.why == cause::timeout);
    CHECK(v.peer == 2);
    CHECK(v.text == "rank 2 has not joined the call or is stopped (ranks 0, 1 and 3 wait for it, through rank 1)");
    CHECK(v.call == "allreduce(ring)");
}

TEST_CASE("a case closes as soon as every member has answered, and names the circle", "[ledger]") {
    ledger l(8);
    l.take(5, report(kind::timeout, 6, 2), start);
    l.take(6, report(kind::waiting, 5, 2), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 6);
    CHECK(v.text == "ranks wait for each other in a circle: rank 5 for rank 6 for rank 5");
}

TEST_CASE("a rank still in an earlier call is named with that call", "[ledger]") {
    ledger l(2);
    l.take(0, report(kind::timeout, 1, 2, 9, "broadcast"), start);
    l.take(1, report(kind::waiting, 0, 2, 8, "barrier"), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 1);
    CHECK(has(v.text, "rank 1 is still in an earlier call, barrier"));
}

TEST_CASE("a reporter that waits for nobody still gets the telling root", "[ledger]") {
    ledger l(3);
    l.take(0, report(kind::timeout, -1, 3), start);
    l.take(1, report(kind::waiting, 2, 3), start);
    l.tick(start + 1s);
    CHECK(verdict_in(l.drain()).peer == 2);
}

TEST_CASE("when all that is known is a rank that waits for nobody, that rank is named", "[ledger]") {
    ledger l(2);
    l.take(0, report(kind::timeout, 1, 2), start);
    l.take(1, report(kind::waiting, -1, 2), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 1);
    CHECK(has(v.text, "rank 1 is inside the call and waits for nobody (rank 0 waits for it)"));
}

TEST_CASE("of several calls under way on a rank the oldest counts", "[ledger]") {
    ledger l(4);
    l.take(0, report(kind::timeout, 1, 4), start);
    l.take(1, report(kind::waiting, 2, 4, 5), start);
    l.take(1, report(kind::waiting, 3, 4, 4), start);
    l.take(1, report(kind::waiting, 2, 4, 6), start);
    l.tick(start + 1s);
    CHECK(verdict_in(l.drain()).peer == 3);
}

TEST_CASE("a mismatch names both calls as soon as the other side has answered", "[ledger]") {
    ledger l(3);
    l.take(0, report(kind::mismatch, 1, 3, 4, "allreduce of 8 float32"), start);
    CHECK(told(l.drain(), kind::inquiry) == ranks{1, 2});
    l.take(2, report(kind::waiting, 0, 3), start);
    CHECK(l.drain().empty());
    l.take(1, report(kind::waiting, 0, 3, 4, "allreduce of 9 float32"), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::mismatch);
    CHECK(v.peer == 1);
    CHECK(v.text == "rank 0 called allreduce of 8 float32, rank 1 called allreduce of 9 float32");
}

TEST_CASE("a mismatch of call numbers says so", "[ledger]") {
    ledger l(2);
    l.take(0, report(kind::mismatch, 1, 2, 4, "barrier"), start);
    l.take(1, report(kind::mismatch, 0, 2, 5, "barrier"), start);
    CHECK(verdict_in(l.drain()).text == "rank 0 called barrier as call 4, rank 1 called barrier as call 5");
}

TEST_CASE("a mismatch with a rank that has returned says that", "[ledger]") {
    ledger l(2);
    l.take(0, report(kind::mismatch, 1, 2, 4, "barrier"), start);
    SECTION("it does not answer") { l.tick(start + ledger::case_grace); }
    SECTION("it leaves") { l.take(1, spoken(kind::left), start); }
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::mismatch);
    CHECK(v.text == "rank 0 called barrier, rank 1 has already returned from its call or is elsewhere");
}

TEST_CASE("a mismatch outweighs the timeouts before it", "[ledger]") {
    ledger l(4);
    l.take(0, report(kind::timeout, 3, 4), start);
    l.take(1, report(kind::mismatch, 2, 4, 1, "barrier"), start);
    l.take(2, report(kind::waiting, 1, 4, 1, "broadcast"), start);
    CHECK(verdict_in(l.drain()).text == "rank 1 called barrier, rank 2 called broadcast");
}

TEST_CASE("losing a rank settles the cases that it matters to", "[ledger]") {
    ledger l(4);
    SECTION("in a communicator of all ranks, whoever it is") {
        l.take(0, report(kind::timeout, 1, 4), start);
        l.lost(3, "killed", start);
        const auto v = verdict_in(l.drain());
        CHECK(v.why == cause::lost_peer);
        CHECK(v.peer == 3);
        CHECK(v.text == "rank 3 was lost: killed");
    }
    SECTION("in a smaller one, if somebody waits for it") {
        l.take(0, report(kind::timeout, 1, 2), start);
        l.lost(3, "killed", start);
        CHECK(told(l.drain(), kind::verdict).empty());
        l.lost(1, "killed", start);
        CHECK(verdict_in(l.drain()).peer == 1);
    }
    SECTION("one that leaves, only if somebody waits for it") {
        l.take(0, report(kind::timeout, 1, 4), start);
        l.take(2, spoken(kind::left), start);
        CHECK(told(l.drain(), kind::verdict).empty());
        l.take(1, spoken(kind::left), start);
        const auto v = verdict_in(l.drain());
        CHECK(v.why == cause::lost_peer);
        CHECK(v.text == "rank 1 has left (rank 0 waits for it)");
    }
}

TEST_CASE("a report that a rank already gone explains is settled at once", "[ledger]") {
    ledger l(4);
    l.lost(1, "killed", start);
    static_cast<void>(l.drain());
    SECTION("it is named") { l.take(0, report(kind::timeout, 1, 2), start); }
    SECTION("it is a member") { l.take(0, report(kind::timeout, 2, 4), start); }
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::lost_peer);
    CHECK(v.peer == 1);
}

TEST_CASE("a rank that the others gave up is told so when it asks", "[ledger]") {
    ledger l(3);
    l.take(0, spoken(kind::unreachable, 1, "reset"), start);
    l.tick(start + 1s);
    static_cast<void>(l.drain());
    l.take(1, report(kind::timeout, 0, 3), start + 2s);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{1});
    CHECK(verdict_in(all).peer == 1);
}

TEST_CASE("a verdict is remembered, and repeated only to who reports later", "[ledger]") {
    ledger l(3);
    l.take(0, report(kind::timeout, 1, 3), start);
    l.tick(start + 1s);
    const auto first = verdict_in(l.drain());
    l.take(2, report(kind::mismatch, 1, 3), start + 2s);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{2});
    CHECK(verdict_in(all) == first);
    CHECK(all.size() == 1);
}

TEST_CASE("communicators have cases of their own", "[ledger]") {
    ledger l(4);
    auto other = report(kind::timeout, 3, 2);
    other.communicator = world + 1;
    l.take(0, report(kind::timeout, 1, 2), start);
    l.take(2, other, start + 100ms);
    static_cast<void>(l.drain());
    l.tick(start + ledger::case_grace);
    CHECK(verdict_in(l.drain()).communicator == world);
    CHECK(l.next_tick() == start + 100ms + ledger::case_grace);
    l.tick(l.next_tick());
    CHECK(verdict_in(l.drain()).peer == 3);
}

TEST_CASE("open cases are bounded: the oldest is closed early", "[ledger]") {
    ledger l(2);
    std::size_t verdicts = 0;
    const auto many = static_cast<int>(ledger::max_cases) + 10;
    for (int i = 0; i < many; ++i) {
        auto n = report(kind::timeout, 1, 2);
        n.communicator = static_cast<std::uint64_t>(i);
        l.take(0, n, start + std::chrono::milliseconds(i));
        for (const auto& o : l.drain())
            if (o.what.kind == kind::verdict && o.to == 0) CHECK(o.what.communicator == verdicts++);
    }
    CHECK(verdicts == 10);
}

TEST_CASE("nonsense never crashes it, and every case ends", "[ledger]") {
    std::mt19937 random(7);
    const auto some = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    for (int world_size = 1; world_size < 6; ++world_size) {
        ledger l(world_size);
        auto now = start;
        for (int i = 0; i < 20'000; ++i) {
            notice n;
            n.kind = static_cast<kind>(some(14));
            n.communicator = static_cast<std::uint64_t>(some(50) + i / 10);
            n.members = some(20) == 0 ? std::numeric_limits<int>::max() : some(8) - 1;
            n.rank = some(8) - 1;
            n.peer = some(20) == 0 ? std::numeric_limits<int>::min() : some(8) - 1;
            n.request = static_cast<std::uint64_t>(some(3));
            n.text.assign(static_cast<std::size_t>(some(10) == 0 ? 100'000 : 3), 'x');
            if (n.kind == kind::left && some(1000) != 0) n.kind = kind::waiting;
            if (some(3000) == 0) l.lost(some(9) - 2, "gone", now);
            l.take(some(9) - 2, n, now);
            if (some(4) == 0) l.tick(now += std::chrono::milliseconds(some(60)));
            for (const auto& o : l.drain()) {
                REQUIRE(o.to >= 0);
                REQUIRE(o.to < world_size);
                REQUIRE(o.what.text.size() <= 2 * ledger::max_text);
            }
        }
        l.tick(now + 1h);
        CHECK(l.next_tick() == clock::time_point::max());
    }
}

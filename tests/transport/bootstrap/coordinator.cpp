// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/coordinator.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"

#include <limits>
#include <random>

using namespace tutti;
using namespace tutti::transport;
using bootstrap::coordinator;
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

/// The same of a rank that has these calls under way.
notice with_waits(notice n, std::vector<waiting_call> waits) {
    n.waits = std::move(waits);
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
std::vector<int> told(const std::vector<coordinator::outgoing>& all, kind k) {
    std::vector<int> out;
    for (const auto& o : all)
        if (o.what.kind == k) out.insert(out.end(), o.to.begin(), o.to.end());
    return out;
}

notice verdict_in(const std::vector<coordinator::outgoing>& all) {
    for (const auto& o : all)
        if (o.what.kind == kind::verdict) return o.what;
    FAIL("no verdict");
    return {};
}

using tutti::test::has;

using ranks = std::vector<int>;

} // namespace

TEST_CASE("a lost rank is announced once to every other rank", "[coordinator]") {
    coordinator l(4);
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

TEST_CASE("an unreachable rank is lost after a grace, in which it may turn out to have left", "[coordinator]") {
    coordinator l(3);
    l.take(0, spoken(kind::unreachable, 1, "connection reset"), start);
    CHECK(l.drain().empty());
    REQUIRE(l.next_tick() == start + coordinator::accusation_grace);

    SECTION("it is lost") {
        l.tick(l.next_tick());
        const auto all = l.drain();
        CHECK(told(all, kind::lost) == ranks{0, 2});
        CHECK(has(all[0].what.text, "rank 0 cannot reach it: connection reset"));
    }
    SECTION("it says of the other end why") {
        l.take(1, spoken(kind::unreachable, 0, "a bit was changed"), start + 1ms);
        l.tick(l.next_tick());
        const auto all = l.drain();
        CHECK(told(all, kind::lost) == ranks{0, 2});
        CHECK(has(all[0].what.text,
                  "rank 0 cannot reach it: connection reset; and rank 1 says of rank 0: a bit was changed"));
        l.tick(start + 1h);
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

TEST_CASE("a rank that is leaving is gone for who waits for it, and stays for all others", "[coordinator]") {
    coordinator l(4);
    auto leaving = spoken(kind::leaving);
    leaving.request = 5000;
    l.take(1, leaving, start);
    CHECK(l.drain().empty());
    CHECK(l.longest_stay() == start + 5s);

    SECTION("its data channel has ended: all that it had sent has come") {
        l.take(0, spoken(kind::unreachable, 1, "closed the connection"), start);
        const auto all = l.drain();
        CHECK(told(all, kind::departed) == ranks{0});
        CHECK(has(all[0].what.text, "rank 1 has left"));
    }
    SECTION("a deadline has passed") {
        l.take(0, spoken(kind::timeout, 1), start);
        const auto all = l.drain();
        CHECK(told(all, kind::verdict) == ranks{0, 1, 2, 3});
        CHECK((all[0].what.why == cause::lost_peer && all[0].what.peer == 1));
    }
    SECTION("it goes") {
        l.take(1, spoken(kind::left), start + 1s);
        CHECK(told(l.drain(), kind::departed) == ranks{0, 2, 3});
        CHECK(l.longest_stay() == clock::time_point::min());
    }
    SECTION("it dies meanwhile") {
        l.lost(1, "closed", start + 1s);
        CHECK(told(l.drain(), kind::lost) == ranks{0, 2, 3});
        CHECK(l.longest_stay() == clock::time_point::min());
    }
    SECTION("it claims to stay for ever") {
        leaving.request = ~std::uint64_t{};
        l.take(2, leaving, start);
        CHECK(l.longest_stay() == start + 10min);
    }
}

TEST_CASE("after a rank has left, losing its connection or not reaching it means nothing", "[coordinator]") {
    coordinator l(3);
    l.take(1, spoken(kind::left), start);
    CHECK(told(l.drain(), kind::departed) == ranks{0, 2});
    l.lost(1, "closed", start);
    l.take(0, spoken(kind::unreachable, 1), start);
    l.take(1, spoken(kind::left), start);
    l.tick(start + 1h);
    CHECK(l.drain().empty());
}

TEST_CASE("abort is a verdict for all ranks, and for later reports on that communicator", "[coordinator]") {
    coordinator l(3);
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

TEST_CASE("the first timeout asks all, and the verdict blames the root of the waiting", "[coordinator]") {
    coordinator l(4);
    l.take(0, report(kind::timeout, 1, 4), start);
    CHECK(told(l.drain(), kind::inquiry) == ranks{0, 1, 2, 3});
    l.take(3, report(kind::timeout, 0, 4), start + 1ms);
    CHECK(l.drain().empty());
    l.take(1, report(kind::waiting, 2, 4), start + 2ms);
    CHECK(l.drain().empty());
    l.tick(start + coordinator::report_grace - 1ms);
    CHECK(l.drain().empty());
    l.tick(start + coordinator::report_grace);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{0, 1, 2, 3});
    const auto v = verdict_in(all);
    CHECK(v.why == cause::timeout);
    CHECK(v.peer == 2);
    CHECK(v.text == "rank 2 has not joined the call and does not answer: it is stopped, or outside of all calls (ranks "
                    "0, 1 and 3 wait for it, through rank 1)");
    CHECK(v.call == "allreduce(ring)");
}

TEST_CASE("a case closes as soon as every member has answered, and names the circle", "[coordinator]") {
    coordinator l(8);
    l.take(5, report(kind::timeout, 6, 2), start);
    l.take(6, report(kind::waiting, 5, 2), start);
    CHECK(told(l.drain(), kind::verdict).empty()); // the reporter's last calls are in its answer alone
    l.take(5, report(kind::waiting, 6, 2), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 6);
    CHECK(v.text ==
          "ranks wait for each other in a circle: rank 5 for rank 6 for rank 5, all in this call: its messages "
          "are slow or do not get through, or its algorithm is wrong, which tutti::algorithm::prove would tell");
}

TEST_CASE("a case waits for the decision on who cannot be reached, or it would find a circle", "[coordinator]") {
    coordinator l(8);
    l.take(5, report(kind::timeout, 6, 3), start);
    l.take(4, report(kind::waiting, 5, 3), start);
    l.take(6, report(kind::waiting, 5, 3), start);
    auto unreachable = report(kind::unreachable, 6, 3);
    unreachable.text = "connection refused";
    l.take(5, unreachable, start);
    l.take(5, report(kind::waiting, 6, 3), start + 1ms);
    l.take(4, report(kind::waiting, 5, 3), start + 2ms); // to hear it again changes nothing
    CHECK(told(l.drain(), kind::verdict).empty());
    const auto decided = start + coordinator::accusation_grace;

    SECTION("it is lost") {
        l.tick(decided);
        const auto all = l.drain();
        CHECK(told(all, kind::lost) == ranks{0, 1, 2, 3, 4, 5, 7});
        const auto v = verdict_in(all);
        CHECK(v.why == cause::lost_peer);
        CHECK(v.peer == 6);
        CHECK(has(v.text, "rank 5 cannot reach it: connection refused"));
    }
    SECTION("it is leaving, in good order") {
        l.take(6, spoken(kind::leaving), start + 2ms);
        const auto all = l.drain();
        CHECK(told(all, kind::lost).empty());
        CHECK(has(verdict_in(all).text, "rank 6 has left"));
    }
    l.tick(decided + coordinator::accusation_grace);
    CHECK(l.next_tick() == clock::time_point::max());
}

TEST_CASE("a case that waits for accusations does so once", "[coordinator]") {
    coordinator l(8);
    l.take(0, spoken(kind::unreachable, 7), start);
    l.take(5, report(kind::timeout, 6, 2), start);
    l.take(6, report(kind::waiting, 5, 2), start);
    l.take(5, report(kind::waiting, 6, 2), start + 1ms);
    CHECK(told(l.drain(), kind::verdict).empty());
    l.take(0, spoken(kind::unreachable, 3), start + 50ms);
    l.tick(start + coordinator::accusation_grace);
    const auto all = l.drain();
    CHECK(told(all, kind::lost) == ranks{0, 1, 2, 3, 4, 5, 6});
    CHECK(has(verdict_in(all).text, "in a circle")); // neither 7 nor 3 has to do with it
    l.tick(start + 1h);
    CHECK(l.next_tick() == clock::time_point::max());
}

TEST_CASE("a rank still in an earlier call is named with that call", "[coordinator]") {
    coordinator l(2);
    l.take(0, report(kind::timeout, 1, 2, 9, "broadcast"), start);
    l.take(1, report(kind::waiting, 0, 2, 8, "barrier"), start);
    l.take(0, report(kind::waiting, 1, 2, 9, "broadcast"), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 1);
    CHECK(has(v.text, "rank 1 is still in an earlier call, barrier"));
}

TEST_CASE("a reporter that waits for nobody still gets the telling root", "[coordinator]") {
    coordinator l(3);
    l.take(0, report(kind::timeout, -1, 3), start);
    l.take(1, report(kind::waiting, 2, 3), start);
    l.tick(start + 1s);
    CHECK(verdict_in(l.drain()).peer == 2);
}

TEST_CASE("when all that is known is a rank that waits for nobody, that rank is named", "[coordinator]") {
    coordinator l(2);
    l.take(0, report(kind::timeout, 1, 2), start);
    l.take(0, report(kind::waiting, 1, 2), start);
    l.take(1, with_waits(report(kind::waiting, -1, 2), {{world, 1, true, {}, "allreduce(ring)"}}), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 1);
    CHECK(
        has(v.text, "rank 1 is inside the call and waits for nobody: its own work is not done (rank 0 waits for it)"));
}

TEST_CASE("a rank that answers and is in no call is told from one that does not answer", "[coordinator]") {
    coordinator l(2);
    l.take(0, report(kind::timeout, 1, 2), start);
    l.take(0, report(kind::waiting, 1, 2), start);
    l.take(1, with_waits(report(kind::waiting, -1, 2), {}), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.peer == 1);
    CHECK(v.text == "rank 1 has not joined the call: it answers, and is in no call (rank 0 waits for it)");
}

TEST_CASE("of a rank's calls under way that very one counts which is waited for, else the one that blocks it",
          "[coordinator]") {
    coordinator l(4);
    l.take(0, report(kind::timeout, 1, 4, 5), start);
    SECTION("that very one") {
        l.take(1, with_waits(report(kind::waiting, 3, 4), {{world, 4, true, {3}, ""}, {world, 5, false, {2}, ""}}),
               start);
        l.tick(start + 1s);
        CHECK(verdict_in(l.drain()).peer == 2);
    }
    SECTION("the one that its program waits for, on whatever communicator") {
        l.take(
            1,
            with_waits(report(kind::waiting, 3, 4), {{world, 4, false, {3}, ""}, {world + 1, 9, true, {2}, "barrier"}}),
            start);
        l.tick(start + 1s);
        const auto v = verdict_in(l.drain());
        CHECK(v.peer == 2);
        CHECK(has(v.text, "rank 2 has not joined barrier on another communicator"));
    }
}

TEST_CASE("a case on a small communicator waits for those who are waited for elsewhere", "[coordinator]") {
    coordinator l(4);
    l.take(0, report(kind::timeout, 1, 2), start);
    l.take(0, report(kind::waiting, 1, 2), start);
    auto elsewhere = with_waits(report(kind::waiting, -1, 2), {{world + 1, 0, true, {2}, "barrier"}});
    l.take(1, elsewhere, start);
    CHECK(told(l.drain(), kind::verdict).empty()); // 2 is no member, and all depends on it
    auto unknown = report(kind::waiting, -1, 0);
    unknown.waits = {{world + 1, 0, true, {3}, "barrier"}};
    l.take(2, unknown, start);
    CHECK(told(l.drain(), kind::verdict).empty());
    SECTION("it does not answer") {
        l.tick(start + coordinator::report_grace);
        CHECK(verdict_in(l.drain()).peer == 3);
    }
    SECTION("it does") {
        unknown.waits.clear();
        l.take(3, unknown, start);
        CHECK(verdict_in(l.drain()).peer == 3);
    }
    SECTION("it is lost") {
        l.lost(3, "killed", start);
        const auto v = verdict_in(l.drain());
        CHECK(v.why == cause::lost_peer);
        CHECK(v.peer == 3);
    }
}

TEST_CASE("ranks that wait for each other in two communicators are told so", "[coordinator]") {
    coordinator l(2);
    l.take(0, report(kind::timeout, 1, 2, 1, "barrier"), start);
    l.take(0, report(kind::waiting, 1, 2, 1, "barrier"), start);
    l.take(1, with_waits(report(kind::waiting, -1, 2), {{world + 1, 0, true, {0}, "broadcast"}}), start);
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::timeout);
    CHECK(v.peer == 1);
    CHECK(has(v.text, "rank 0 for rank 1 for rank 0, in calls of different communicators; rank 0 in barrier; rank 1 in "
                      "broadcast"));
}

TEST_CASE("who has left, is lost or does not come after a failure is not to blame, but who made it fail",
          "[coordinator]") {
    coordinator l(4);
    auto failure = spoken(kind::failed, 3, "rank 3 was lost: killed");
    failure.why = cause::lost_peer;
    l.take(2, failure, start);
    SECTION("it leaves, and others are told why") {
        l.take(2, spoken(kind::left), start);
        const auto all = l.drain();
        REQUIRE(told(all, kind::departed) == ranks{0, 1, 3});
        CHECK(all[0].what.rank == 2);
        CHECK(all[0].what.peer == 3);
        CHECK(all[0].what.text == "rank 3 was lost: killed; after that rank 2 has left");
        l.take(1, report(kind::timeout, 2, 2), start);
        const auto v = verdict_in(l.drain());
        CHECK(v.why == cause::lost_peer);
        CHECK(v.peer == 3);
    }
    SECTION("it dies") {
        l.lost(2, "its connection was closed", start);
        const auto all = l.drain();
        REQUIRE(told(all, kind::lost) == ranks{0, 1, 3});
        CHECK(all[0].what.peer == 3);
        CHECK(has(all[0].what.text, "after that rank 2 was lost: its connection was closed"));
    }
    SECTION("it stays outside") {
        l.take(1, report(kind::timeout, 2, 2), start);
        l.tick(start + 1s);
        const auto v = verdict_in(l.drain());
        CHECK(v.why == cause::lost_peer);
        CHECK(v.peer == 3);
        CHECK(has(v.text, "after that rank 2 does not join further calls (rank 1 waits for it)"));
    }
    SECTION("and so on to the first cause") {
        auto second = spoken(kind::failed, 2, "rank 2 has left");
        second.why = cause::lost_peer;
        l.take(1, second, start);
        l.take(1, spoken(kind::left), start);
        CHECK(l.drain()[0].what.peer == 3);
    }
    SECTION("but a rank whose program has gone on answers for itself") {
        l.take(2, spoken(kind::resumed), start);
        l.take(2, spoken(kind::left), start);
        CHECK(l.drain()[0].what.peer == 2);
    }
}

TEST_CASE("calls that differ are a mismatch, though no message shows it and all wait in a circle", "[coordinator]") {
    coordinator l(3);
    auto zero = report(kind::timeout, 1, 3, 6, "barrier");
    l.take(0, zero, start);
    zero.kind = kind::waiting;
    zero.calls = {{world, 4, 40, "barrier"}, {world, 5, 50, "reduce, root 0"}, {world, 6, 60, "barrier"}};
    auto one = report(kind::waiting, 0, 3, 5, "reduce, root 1");
    one.calls = {{world, 4, 40, "barrier"}, {world, 5, 51, "reduce, root 1"}};
    auto two = zero;
    two.waits.clear();
    l.take(0, zero, start);
    l.take(1, one, start);
    l.take(2, two, start);
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::mismatch);
    CHECK(v.peer == 1); // as two have called otherwise
    CHECK(has(v.text,
              "rank 0 called reduce, root 0, rank 1 called reduce, root 1 as call 5, an earlier call than barrier"));
}

TEST_CASE("a mismatch names both calls as soon as the other side has answered", "[coordinator]") {
    coordinator l(3);
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

TEST_CASE("a mismatch of call numbers says so", "[coordinator]") {
    coordinator l(2);
    l.take(0, report(kind::mismatch, 1, 2, 4, "barrier"), start);
    l.take(1, report(kind::mismatch, 0, 2, 5, "barrier"), start);
    CHECK(verdict_in(l.drain()).text == "rank 0 called barrier as call 4, rank 1 called barrier as call 5");
}

TEST_CASE("a mismatch with a rank that has returned says that", "[coordinator]") {
    coordinator l(2);
    l.take(0, report(kind::mismatch, 1, 2, 4, "barrier"), start);
    SECTION("it does not answer") { l.tick(start + coordinator::report_grace); }
    SECTION("it leaves") { l.take(1, spoken(kind::left), start); }
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::mismatch);
    CHECK(v.text == "rank 0 called barrier, rank 1 has already returned from its call or is elsewhere");
}

TEST_CASE("a mismatch outweighs the timeouts before it", "[coordinator]") {
    coordinator l(4);
    l.take(0, report(kind::timeout, 3, 4), start);
    l.take(1, report(kind::mismatch, 2, 4, 1, "barrier"), start);
    l.take(2, report(kind::waiting, 1, 4, 1, "broadcast"), start);
    CHECK(verdict_in(l.drain()).text == "rank 1 called barrier, rank 2 called broadcast");
}

TEST_CASE("losing a rank settles the cases that it matters to", "[coordinator]") {
    coordinator l(4);
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

TEST_CASE("a report that a rank already gone explains is settled at once", "[coordinator]") {
    coordinator l(4);
    l.lost(1, "killed", start);
    static_cast<void>(l.drain());
    SECTION("it is named") { l.take(0, report(kind::timeout, 1, 2), start); }
    SECTION("it is a member") { l.take(0, report(kind::timeout, 2, 4), start); }
    const auto v = verdict_in(l.drain());
    CHECK(v.why == cause::lost_peer);
    CHECK(v.peer == 1);
}

TEST_CASE("a rank that has left is named, though what the report says of who is waited for leaves it out",
          "[coordinator]") {
    coordinator l(20);
    l.take(15, spoken(kind::left), start);
    static_cast<void>(l.drain());
    const std::vector<std::int32_t> first{1, 2, 3, 4, 5, 6, 7, 8};
    l.take(0, with_waits(report(kind::timeout, 15, 20), {{world, 1, true, first, "reduce(direct)"}}), start);
    const auto v = verdict_in(l.drain());
    CHECK((v.why == cause::lost_peer && v.peer == 15));
    CHECK(has(v.text, "rank 15 has left"));
}

TEST_CASE("a rank that the others gave up is told so when it asks", "[coordinator]") {
    coordinator l(3);
    l.take(0, spoken(kind::unreachable, 1, "reset"), start);
    l.tick(start + 1s);
    static_cast<void>(l.drain());
    l.take(1, report(kind::timeout, 0, 3), start + 2s);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{1});
    CHECK(verdict_in(all).peer == 1);
}

TEST_CASE("a verdict is remembered, and repeated only to who reports later", "[coordinator]") {
    coordinator l(3);
    l.take(0, report(kind::timeout, 1, 3), start);
    l.tick(start + 1s);
    const auto first = verdict_in(l.drain());
    l.take(2, report(kind::mismatch, 1, 3), start + 2s);
    const auto all = l.drain();
    CHECK(told(all, kind::verdict) == ranks{2});
    CHECK(verdict_in(all) == first);
    CHECK(all.size() == 1);
}

TEST_CASE("communicators have cases of their own", "[coordinator]") {
    coordinator l(4);
    auto other = report(kind::timeout, 3, 2);
    other.communicator = world + 1;
    l.take(0, report(kind::timeout, 1, 2), start);
    l.take(2, other, start + 100ms);
    static_cast<void>(l.drain());
    l.tick(start + coordinator::report_grace);
    CHECK(verdict_in(l.drain()).communicator == world);
    CHECK(l.next_tick() == start + 100ms + coordinator::report_grace);
    l.tick(l.next_tick());
    CHECK(verdict_in(l.drain()).peer == 3);
}

TEST_CASE("open cases are bounded: the oldest is closed early", "[coordinator]") {
    coordinator l(2);
    std::size_t verdicts = 0;
    const auto many = static_cast<int>(coordinator::max_pending) + 10;
    for (int i = 0; i < many; ++i) {
        auto n = report(kind::timeout, 1, 2);
        n.communicator = static_cast<std::uint64_t>(i);
        l.take(0, n, start + std::chrono::milliseconds(i));
        for (const auto& o : l.drain())
            if (o.what.kind == kind::verdict) CHECK(o.what.communicator == verdicts++);
    }
    CHECK(verdicts == 10);
}

TEST_CASE("nonsense never crashes it, and every case ends", "[coordinator]") {
    std::mt19937 random(7);
    const auto some = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    for (int world_size = 1; world_size < 6; ++world_size) {
        coordinator l(world_size);
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
            for (int k = some(3); k > 0; --k)
                n.waits.push_back({static_cast<std::uint64_t>(some(50) + i / 10),
                                   static_cast<std::uint64_t>(some(3)),
                                   some(2) == 0,
                                   {some(8) - 1, some(8) - 1},
                                   "call"});
            if (n.kind == kind::left && some(1000) != 0) n.kind = kind::waiting;
            if (some(3000) == 0) l.lost(some(9) - 2, "gone", now);
            l.take(some(9) - 2, n, now);
            if (some(4) == 0) l.tick(now += std::chrono::milliseconds(some(60)));
            for (const auto& o : l.drain()) {
                for (const int to : o.to) REQUIRE((to >= 0 && to < world_size));
                REQUIRE(o.what.text.size() <= 2 * coordinator::max_text);
            }
        }
        l.tick(now + 1h);
        CHECK(l.next_tick() == clock::time_point::max());
    }
}

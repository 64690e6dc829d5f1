// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/control/verdict.hpp>

#include "support/catch.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::bootstrap;

namespace {

/// A rank that waits for another in a call, which it has begun like those before it.
notice inside(int rank, int peer, std::uint64_t request, std::string call, std::uint64_t signature) {
    notice n;
    n.kind = notice_kind::waiting;
    n.rank = rank;
    n.peer = peer;
    n.request = request;
    n.call = call;
    if (request > 0) n.calls.push_back({0, request - 1, request - 1, "before"});
    n.calls.push_back({0, request, signature, call});
    n.waits = {{0, request, true, {peer}, std::move(call)}};
    return n;
}

/// The same on another communicator.
notice on(std::uint64_t communicator, notice n) {
    n.communicator = communicator;
    for (auto& c : n.calls) c.communicator = communicator;
    for (auto& w : n.waits) w.communicator = communicator;
    return n;
}

/// All ranks are present and answer; the first one reports.
struct answered {
    explicit answered(std::vector<notice> all) : first(all.front()), records(all.size()) {
        for (auto& a : all) answers.emplace(a.rank, a);
    }
    [[nodiscard]] diagnosis of() const { return {first, answers, records}; }
    notice first;
    std::map<int, notice> answers;
    rank_records records;
};

bool says(const notice& verdict, const std::string& words) { return verdict.text.find(words) != std::string::npos; }

} // namespace

TEST_CASE("ranks that wait for each other in unlike calls of one number are told of a mismatch") {
    const answered all({inside(0, 1, 5, "broadcast, root 0", 50), inside(1, 0, 5, "broadcast, root 1", 51)});
    const auto v = verdict_of_timeout(all.of());
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called broadcast, root 0, rank 1 called broadcast, root 1"));
}

TEST_CASE("so they are when a rank that had its part reports from its next call") {
    const answered all(
        {inside(2, 0, 6, "barrier", 60), inside(0, 1, 5, "reduce, root 0", 50), inside(1, 0, 5, "reduce, root 1", 51)});
    const auto v = verdict_of_timeout(all.of());
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called reduce, root 0, rank 1 called reduce, root 1"));
    CHECK(says(v, "as call 5, an earlier call than barrier"));
}

TEST_CASE("unlike calls of unlike numbers are no mismatch") {
    const answered all({inside(0, 1, 6, "barrier", 6), inside(1, 0, 5, "allreduce", 5)});
    const auto v = verdict_of_timeout(all.of());
    CHECK(v.why == cause::timeout);
    CHECK(says(v, "rank 1 is still in an earlier call, allreduce"));
}

TEST_CASE("of a circle over two communicators, the rank is blamed that is not in the call of the reporter's") {
    const auto averages = [](int rank, int peer) { return on(1, inside(rank, peer, 3, "allreduce of gradients", 30)); };
    const auto goes_on = [](int rank, int peer) { return on(2, inside(rank, peer, 0, "allreduce of a loss", 1)); };
    SECTION("whoever the reporter itself waits for") {
        const answered all({averages(0, 3), averages(1, 3), goes_on(2, 3), averages(3, 2)});
        const auto v = verdict_of_timeout(all.of());
        CHECK(v.peer == 2);
        CHECK(says(v, "a circle: rank 3 for rank 2 for rank 3, in calls of different communicators"));
    }
    SECTION("rank 0 as well, where the reporter is outside of the circle") {
        const answered all({averages(2, 3), averages(3, 1), averages(1, 0), goes_on(0, 1)});
        CHECK(verdict_of_timeout(all.of()).peer == 0);
    }
    SECTION("and by its own report another one, which is not in its call") {
        const answered all({goes_on(2, 3), averages(0, 3), averages(1, 3), averages(3, 2)});
        CHECK(verdict_of_timeout(all.of()).peer == 3);
    }
}

TEST_CASE("a message that does not fit though both ranks call the same is one of an earlier call") {
    answered all({inside(0, 1, 9, "barrier", 90), inside(1, 0, 9, "barrier", 91)});
    for (auto& [rank, n] : all.answers) n.calls.erase(n.calls.begin()); // that far back nothing is known
    all.first.kind = notice_kind::mismatch;
    all.first.calls = all.answers.at(0).calls;
    const auto v = verdict_of_mismatch(all.of());
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called barrier like rank 1, which had sent something else in an earlier call"));
}

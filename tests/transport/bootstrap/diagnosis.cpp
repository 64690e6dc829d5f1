// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/control/diagnosis.hpp>

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

TEST_CASE("a message that does not fit though both ranks call the same is one of an earlier call") {
    answered all({inside(0, 1, 9, "barrier", 90), inside(1, 0, 9, "barrier", 91)});
    for (auto& [rank, n] : all.answers) n.calls.erase(n.calls.begin()); // that far back nothing is known
    all.first.kind = notice_kind::mismatch;
    all.first.calls = all.answers.at(0).calls;
    const auto v = verdict_of_mismatch(all.of());
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called barrier like rank 1, which had sent something else in an earlier call"));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/bootstrap/inquest.hpp>

#include "support/catch.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::bootstrap;

namespace {

notice inside(int rank, int peer, std::uint64_t request, std::string call) {
    notice n;
    n.rank = rank;
    n.peer = peer;
    n.request = request;
    n.call = std::move(call);
    return n;
}

/// All ranks are present and answer; the first one reports.
inquest of(const std::vector<notice>& answers) {
    inquest q{
        answers.front(), {}, std::vector(answers.size(), standing::present), std::vector<std::string>(answers.size())};
    for (const auto& a : answers) q.answers.emplace(a.rank, a);
    return q;
}

bool says(const notice& verdict, const std::string& words) { return verdict.text.find(words) != std::string::npos; }

} // namespace

TEST_CASE("ranks that wait for each other in unlike calls of one number are told of a mismatch") {
    const auto v = verdict_of_timeout(of({inside(0, 1, 5, "broadcast, root 0"), inside(1, 0, 5, "broadcast, root 1")}));
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called broadcast, root 0, rank 1 called broadcast, root 1"));
}

TEST_CASE("so they are when a rank that had its part reports from its next call") {
    const auto v = verdict_of_timeout(
        of({inside(2, 0, 6, "barrier"), inside(0, 1, 5, "reduce, root 0"), inside(1, 0, 5, "reduce, root 1")}));
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called reduce, root 0, rank 1 called reduce, root 1"));
    CHECK_FALSE(says(v, "as call"));
}

TEST_CASE("unlike calls of unlike numbers are no mismatch") {
    const auto v = verdict_of_timeout(of({inside(0, 1, 6, "barrier"), inside(1, 0, 5, "allreduce")}));
    CHECK(v.why == cause::timeout);
    CHECK(says(v, "rank 1 is still in an earlier call, allreduce"));
}

TEST_CASE("a message that does not fit though both ranks call the same is one of an earlier call") {
    auto q = of({inside(0, 1, 9, "barrier"), inside(1, 0, 9, "barrier")});
    q.report.kind = notice_kind::mismatch;
    const auto v = verdict_of_mismatch(q);
    CHECK(v.why == cause::mismatch);
    CHECK(says(v, "rank 0 called barrier like rank 1, which had sent something else in an earlier call"));
}

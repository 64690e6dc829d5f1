// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify.hpp>

#include "mutator.hpp"
#include "oracle.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

#include <array>
#include <string>

using namespace tutti::test;

namespace {

struct tally {
    int tried = 0, harmful = 0, in_rank_order = 0;
};

} // namespace

TEST_CASE("the second opinion finds nothing wrong with the schedules as they are") {
    mutator m(1);
    for (int k = 0; k < 300; ++k) {
        const program p = m.schedule();
        oracle second(p, static_cast<unsigned>(k));
        const std::string opinion = second.judge();
        INFO(listing(p));
        REQUIRE(opinion.empty());
        REQUIRE(verify(p).proven);
        if (reduces(p.what)) REQUIRE(verify(p).preserves_order == second.in_rank_order());
    }
}

TEST_CASE("verify rejects every mutation that does harm, and no other; and sees when rank order is lost") {
    std::array<tally, kinds.size()> tallies{};
    mutator m(2026);
    for (int k = 0; k < effort(15'000); ++k) {
        const int kind = m.below(static_cast<int>(kinds.size()));
        program p = m.schedule_for(kind);
        const auto good = p.ranks;
        m.mutate(p, kind);
        if (p.ranks == good) continue;
        oracle second(p, static_cast<unsigned>(k));
        const std::string opinion = second.judge();
        const proof found = verify(p);
        const bool order_agrees = !reduces(p.what) || found.preserves_order == second.in_rank_order();
        tally& t = tallies[static_cast<std::size_t>(kind)];
        ++t.tried;
        t.harmful += opinion.empty() ? 0 : 1;
        t.in_rank_order += found.preserves_order && reduces(p.what) ? 1 : 0;
        if (found.proven == opinion.empty() && (!found.proven || order_agrees)) continue;
        FAIL(kinds[static_cast<std::size_t>(kind)] << ": verify says " << found.message() << ", the second opinion is "
                                                   << (opinion.empty() ? "that it is right" : opinion) << "\n"
                                                   << listing(p));
    }
    // Without enough of both, the harmful and the harmless, all of this would show nothing.
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const tally& t = tallies[kind];
        INFO(kinds[kind] << ": " << t.tried << " tried, " << t.harmful << " harmful, " << t.in_rank_order
                         << " right and in rank order");
        const bool side_only = kinds[kind] == std::string("side"); // mostly harmless: all ranks get the one sum
        CHECK(t.tried >= effort(800));
        CHECK(t.harmful >= effort(side_only ? 20 : 400));
        CHECK((kind == 0 || t.harmful < t.tried));
        CHECK((kind == 0 || t.in_rank_order > 0));
    }
    CHECK(tallies[0].harmful == tallies[0].tried); // no schedule has a step that it could do without
}

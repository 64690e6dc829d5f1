// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/butterfly_of.hpp>

#include <collectives/algorithm/butterfly.hpp>
#include <collectives/algorithm/preserves_order.hpp>

#include "prove.hpp"

#include <vector>

using namespace tutti::algorithm;
using tutti::schedule::operation;

namespace {

std::vector<int> factors_of(int ranks, int radix) {
    const detail::smooth_core c(ranks, radix);
    return {c.factors().begin(), c.factors().end()};
}
int rounds_of(int radix, int ranks) { return butterfly_of{radix}.stated(operation::allreduce, ranks).depth; }

} // namespace

TEST_CASE("the core is the largest number of ranks with small factors, the largest of them first") {
    CHECK(factors_of(24, 5) == std::vector{4, 3, 2});
    CHECK(factors_of(100, 5) == std::vector{5, 5, 4});
    CHECK(factors_of(16, 4) == std::vector{4, 4});
    CHECK(factors_of(7, 8) == std::vector{7});
    CHECK(factors_of(7, 5) == std::vector{3, 2});
    CHECK(factors_of(1, 5).empty());
    for (int ranks = 1; ranks <= 200; ++ranks)
        for (const int radix : {2, 3, 5, 8}) {
            const detail::smooth_core c(ranks, radix);
            int product = 1;
            for (const int f : c.factors()) product *= f;
            CHECK(product == c.size());
            CHECK(c.size() + c.extra() == ranks);
            CHECK(c.extra() <= c.size());
        }
}

TEST_CASE("a butterfly of every radix is proven at the stated cost; a radix below two is two") {
    for (const int radix : {-1, 1, 2, 3, 4, 5, 6, 9, 64}) tutti::test::prove(butterfly_of{radix}, {1, 33}, 2);
    CHECK(any(butterfly_of{0}).write(operation::allreduce, 6).ranks ==
          any(butterfly_of{2}).write(operation::allreduce, 6).ranks);
}

TEST_CASE("of radix two it is as deep as the butterfly, of more it is less deep, and of all ranks one message") {
    for (const int ranks : {2, 3, 5, 8, 13, 32})
        CHECK(rounds_of(2, ranks) == butterfly::stated(operation::allreduce, ranks).depth);
    CHECK(rounds_of(4, 64) == 3);
    CHECK(rounds_of(5, 24) == 3);
    CHECK(rounds_of(24, 24) == 1);
    CHECK(rounds_of(5, 7) == 4);
}

TEST_CASE("radices are told apart, and operands stay in rank order in all of them") {
    CHECK(any(butterfly_of{3}).id() != any(butterfly_of{4}).id());
    STATIC_REQUIRE(preserves_order<butterfly_of, operation::allreduce>);
    for (const int ranks : {3, 6, 7, 12, 25})
        CHECK(any(butterfly_of{}).preserves_order(operation::allreduce, ranks, 0));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/contract/processor_matching.hpp>

#include "support/catch.hpp"

#include <random>
#include <set>

using namespace tutti::transport::bootstrap;

namespace {

std::vector<allotment> bound_to(const std::vector<processor_set>& masks) {
    std::vector<allotment> ranks;
    for (const processor_set& m : masks) ranks.push_back({m, {}});
    return ranks;
}

/// Ranks with two processors each, in a cgroup with a quota.
std::vector<allotment> under_quota(std::size_t ranks, std::uint32_t thousandths, std::uint64_t inode = 1) {
    processor_set many;
    for (int p = 0; p < 64; ++p) many.add(p);
    return std::vector(ranks, allotment{many, {thousandths, 1, inode}});
}

/// Tries every way to give the ranks from `rank` on a processor each.
bool can_be(const std::vector<processor_set>& masks, std::size_t rank, std::set<int>& taken) {
    if (rank == masks.size()) return true;
    for (const int p : masks[rank].numbers()) {
        if (!taken.insert(p).second) continue;
        if (can_be(masks, rank + 1, taken)) return true;
        taken.erase(p);
    }
    return false;
}

bool is_right(const std::vector<allotment>& ranks, const std::vector<int>& given) {
    std::set<int> taken;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        processor_set mine{given[r]};
        mine.keep(ranks[r].processors);
        if (mine.empty() || !taken.insert(given[r]).second) return false;
    }
    return given.size() == ranks.size();
}

} // namespace

TEST_CASE("ranks that are each bound to a processor of their own have one each, in whichever order") {
    CHECK(share_out(bound_to({{1}, {0}})) == std::vector{1, 0});
    CHECK_FALSE(share_out(bound_to({{1}, {1}})));
}

TEST_CASE("ranks that may run anywhere get the processors in turn, and are crowded when these are fewer") {
    CHECK(share_out(bound_to({{0, 1, 5}, {0, 1, 5}, {0, 1, 5}})) == std::vector{0, 1, 5});
    CHECK_FALSE(share_out(bound_to({{0, 1}, {0, 1}, {0, 1}})));
}

TEST_CASE("a rank makes way for one that has less choice, over several others if need be") {
    CHECK(share_out(bound_to({{0, 1}, {0}})) == std::vector{1, 0});
    CHECK(share_out(bound_to({{0, 1}, {1, 2}, {2, 3}, {0}, {1}})) == std::nullopt);
    CHECK(share_out(bound_to({{0, 1}, {1, 2}, {2, 8191}, {0}})) == std::vector{1, 2, 8191, 0});
}

TEST_CASE("no rank, and one without processors, are shared out to as well") {
    CHECK(share_out({}) == std::vector<int>{});
    CHECK_FALSE(share_out(bound_to({{}})));
}

TEST_CASE("of small random masks, those are shared out that can be, and rightly") {
    std::mt19937 random(20260801);
    int shared = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        std::vector<processor_set> masks(1 + random() % 6);
        const auto processors = 1 + random() % 7;
        for (processor_set& m : masks)
            for (std::size_t p = 0; p < processors; ++p)
                if (random() % 3 == 0) m.add(31 * static_cast<int>(p));
        const auto ranks = bound_to(masks);
        const auto given = share_out(ranks);
        std::set<int> taken;
        INFO("trial " << trial);
        REQUIRE(given.has_value() == can_be(masks, 0, taken));
        if (!given) continue;
        ++shared;
        REQUIRE(is_right(ranks, *given));
        REQUIRE(share_out(ranks) == given);
    }
    CHECK(shared > 500);
    CHECK(shared < 2500);
}

TEST_CASE("large hosts are shared out too, by masks that are alike, narrow or shifted") {
    for (const int width : {1, 2, 64, 256}) {
        std::vector<processor_set> masks(256);
        for (int r = 0; r < 256; ++r)
            for (int k = 0; k < width; ++k) masks[static_cast<std::size_t>(r)].add((255 - r + k) % 256);
        const auto ranks = bound_to(masks);
        const auto given = share_out(ranks);
        REQUIRE(given);
        CHECK(is_right(ranks, *given));
    }
    processor_set all;
    for (int p = 0; p < 256; ++p) all.add(p);
    CHECK_FALSE(share_out(bound_to(std::vector(1000, all))));
}

TEST_CASE("a quota allows as many ranks as it has whole processors") {
    CHECK(share_out(under_quota(2, 2000)));
    CHECK_FALSE(share_out(under_quota(2, 1500)));
    CHECK(share_out(under_quota(1, 1500)));
    CHECK_FALSE(share_out(under_quota(1, 500)));
    CHECK(share_out(under_quota(40, 0)));
}

TEST_CASE("ranks of different cgroups do not share a quota") {
    auto ranks = under_quota(1, 1500, 7);
    for (const allotment& other : under_quota(1, 1500, 8)) ranks.push_back(other);
    CHECK(share_out(ranks));
    ranks.push_back(ranks.front());
    CHECK_FALSE(share_out(ranks));
}

TEST_CASE("a set of processors is told in ranges") {
    CHECK(processor_set{}.text().empty());
    CHECK(processor_set{5}.text() == "5");
    CHECK(processor_set{8, 0, 1, 2, 3, 63, 64}.text() == "0-3,8,63-64");
    CHECK(processor_set{8191}.words().size() == processor_set::max_words);
    CHECK(processor_set{0, 8191}.count() == 2);
    CHECK(processor_set(std::vector<std::uint64_t>{2, 0, 0}) == processor_set{1});
}

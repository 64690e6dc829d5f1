// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/model/crossovers.hpp"

#include "support/catch.hpp"

#include <vector>

using tutti::tools::crossover;
using tutti::tools::crossovers;
using changes = std::vector<crossover>;
using grid = std::vector<std::size_t>;

TEST_CASE("one winner at all sizes has no crossover") {
    const auto always = [](std::size_t) { return std::string("ring"); };
    CHECK(crossovers(grid{}, always).empty());
    CHECK(crossovers(grid{8}, always).empty());
    CHECK(crossovers(grid{8, 1024, 1 << 20}, always).empty());
}

TEST_CASE("where small sizes are told apart, a crossover is exact") {
    const auto winner = [](std::size_t n) { return std::string(n < 137 ? "tree" : "ring"); };
    CHECK(crossovers(grid{8, 4096}, winner) == changes{{137, "tree", "ring"}});
    CHECK(crossovers(grid{8, 137}, winner) == changes{{137, "tree", "ring"}});
    CHECK(crossovers(grid{8, 136, 137, 4096}, winner) == changes{{137, "tree", "ring"}});
}

TEST_CASE("where sizes are large, a crossover is within 1 part in 256, in few calls") {
    constexpr std::size_t truth = 123'456'789;
    int calls = 0;
    const auto winner = [&](std::size_t n) {
        ++calls;
        return std::string(n < truth ? "tree" : "ring");
    };
    const auto found = crossovers(grid{std::size_t{1} << 26, std::size_t{1} << 27}, winner);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes >= truth);
    CHECK(found[0].bytes <= truth + truth / 256);
    CHECK(calls <= 2 + 8);
}

TEST_CASE("what wins only between two sizes of the grid is found as well") {
    const auto winner = [](std::size_t n) { return std::string(n < 100 ? "tree" : n < 200 ? "butterfly" : "ring"); };
    CHECK(crossovers(grid{8, 1000}, winner) == changes{{100, "tree", "butterfly"}, {200, "butterfly", "ring"}});
}

TEST_CASE("a winner may come back") {
    const auto winner = [](std::size_t n) { return std::string(n < 100 || n >= 200 ? "tree" : "ring"); };
    CHECK(crossovers(grid{8, 150, 300}, winner) == changes{{100, "tree", "ring"}, {200, "ring", "tree"}});
}

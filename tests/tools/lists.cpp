// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/lists.hpp"

#include "support/catch.hpp"

using tutti::tools::join;
using tutti::tools::parse_numbers;
using tutti::tools::parse_ranks;
using tutti::tools::split_list;
using numbers = std::vector<int>;
using words = std::vector<std::string>;

TEST_CASE("a list is split at its commas, and joined again") {
    CHECK(split_list("ring") == words{"ring"});
    CHECK(split_list("a,b,c") == words{"a", "b", "c"});
    CHECK(split_list("") == words{""});
    CHECK(split_list("a,,b,") == words{"a", "", "b", ""});
    CHECK(split_list(" a, b c ,  ") == words{"a", "b c", ""});
    CHECK(join(words{"a", "b"}) == "a, b");
    CHECK(join(words{}).empty());
}

TEST_CASE("numbers of ranks are a number, a range, a list or a mixture") {
    CHECK(parse_ranks("4") == numbers{4});
    CHECK(parse_ranks("2..5") == numbers{2, 3, 4, 5});
    CHECK(parse_ranks("8,2,4") == numbers{2, 4, 8});
    CHECK(parse_ranks("2, 4") == numbers{2, 4});
    CHECK(parse_ranks("1..3,2..4,64") == numbers{1, 2, 3, 4, 64});
    CHECK(parse_ranks("1024..1024") == numbers{1024});
}

TEST_CASE("numbers of ranks can be each a multiple of the former") {
    CHECK(parse_ranks("2..16*2") == numbers{2, 4, 8, 16});
    CHECK(parse_ranks("2..15*2,5") == numbers{2, 4, 5, 8});
    CHECK(parse_ranks("1..100*10") == numbers{1, 10, 100});
    CHECK(parse_ranks("100000", 1'000'000) == numbers{100'000});
}

TEST_CASE("what is no number of ranks is refused, and quoted") {
    for (const char* text : {"", "0", "-1", "a", "1..", "..4", "1...4", "1..x", "2,,3", "65537", "1..99999999999",
                             "4 2", "2, ", "2..8*", "2*2", "2..8*0", "2..8*x"})
        CHECK_THROWS_WITH(parse_ranks(text), Catch::Contains("'" + std::string(text) + "' is no list of ranks"));
    CHECK_THROWS_WITH(parse_ranks("4..2"), Catch::Contains("counts downwards"));
}

TEST_CASE("hosts are listed as they stand, and what is no host is refused") {
    using tutti::tools::parse_nodes;
    CHECK(parse_nodes("0,1,0, 7") == numbers{0, 1, 0, 7});
    for (const char* text : {"", "a", "0,,1", "-1", "0,1x"})
        CHECK_THROWS_WITH(parse_nodes(text), Catch::Contains("is no list of hosts"));
    CHECK_THROWS_WITH(parse_numbers("-1", "list of roots: write 0"), "'-1' is no list of roots: write 0");
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/sizes.hpp"

#include "support/catch.hpp"

using tutti::tools::parse_size;
using tutti::tools::parse_sizes;
using tutti::tools::sizes_of;
using sizes = std::vector<std::size_t>;

TEST_CASE("a size is a number of bytes, or of a power of 1024") {
    CHECK(parse_size("0") == 0);
    CHECK(parse_size("8") == 8);
    CHECK(parse_size("4K") == 4096);
    CHECK(parse_size("4k") == 4096);
    CHECK(parse_size("1M") == 1u << 20);
    CHECK(parse_size("1G") == 1u << 30);
    CHECK(parse_size("2T") == std::size_t{2} << 40);
    CHECK(parse_size("4KB") == 4096);
    CHECK(parse_size("4KiB") == 4096);
    CHECK(parse_size("12B") == 12);
}

TEST_CASE("a size may have decimals where it is a whole number of bytes") {
    CHECK(parse_size("1.5M") == 1572864);
    CHECK(parse_size("97.5MB") == 102236160);
    CHECK(parse_size("0.5KiB") == 512);
    CHECK(parse_size("1.50000k") == 1536);
    CHECK(parse_size("8.0") == 8);
    CHECK(parse_size("0.0009765625K") == 1);
    CHECK(parse_size("16777215.9990234375T") == SIZE_MAX - (std::size_t{1} << 30) + 1);
    CHECK(parse_sizes("1.5K..6K, 0.5M") == sizes{1536, 3072, 6144, 512 * 1024});
    for (const char* text : {"1.5", "0.3M", "97.49M", "0.0009765626K", "1.0000000000000000000K"})
        CHECK_THROWS_WITH(parse_size(text),
                          Catch::Contains("'" + std::string(text) + "' is no size: that is no whole number of bytes"));
}

TEST_CASE("what is no size is refused, and quoted") {
    for (const char* text : {"", "K", "-1", "+1", " 8", "8 ", "4X", "4KK", "1.M", ".5M", "1.5.0M", "1.xM", "0x10",
                             "8iB", "4Kb", "99999999999999999999", "17179869184G"})
        CHECK_THROWS_WITH(parse_size(text), Catch::Contains("'" + std::string(text) + "' is no size"));
}

TEST_CASE("a sweep multiplies, or adds where a step is given, and never passes its end") {
    CHECK(sizes_of({8, 64, 2, 0}) == sizes{8, 16, 32, 64});
    CHECK(sizes_of({8, 63, 2, 0}) == sizes{8, 16, 32});
    CHECK(sizes_of({1, 1000, 10, 0}) == sizes{1, 10, 100, 1000});
    CHECK(sizes_of({100, 300, 2, 100}) == sizes{100, 200, 300});
    CHECK(sizes_of({8, 8, 2, 0}) == sizes{8});
    CHECK(sizes_of({8, 8, 1, 0}) == sizes{8});
}

TEST_CASE("a sweep from nothing goes on with one byte") { CHECK(sizes_of({0, 4, 2, 0}) == sizes{0, 1, 2, 4}); }

TEST_CASE("a sweep ends where a size could not be written any more") {
    const std::size_t top = SIZE_MAX;
    CHECK(sizes_of({top / 2, top, 2, 0}) == sizes{top / 2, top - 1});
    CHECK(sizes_of({top - 1, top, 2, 5}) == sizes{top - 1});
}

TEST_CASE("a sweep that would never end is refused") {
    CHECK_THROWS_AS(sizes_of({8, 16, 1, 0}), std::invalid_argument);
    CHECK_THROWS_AS(sizes_of({8, 16, 0, 0}), std::invalid_argument);
    CHECK_THROWS_AS(sizes_of({16, 8, 2, 0}), std::invalid_argument);
}

TEST_CASE("sizes are a size, a list, a range of doubles or of other multiples, or a mixture") {
    CHECK(parse_sizes("8") == sizes{8});
    CHECK(parse_sizes("1K,8,8") == sizes{8, 1024});
    CHECK(parse_sizes("1024T") == sizes{std::size_t{1} << 50});
    CHECK_THROWS_WITH(parse_sizes("8,1025T"), Catch::Contains("'8,1025T' has a size beyond 1024T"));
    CHECK(parse_sizes("8..64") == sizes{8, 16, 32, 64});
    CHECK(parse_sizes("8, 1K") == sizes{8, 1024});
    CHECK(parse_sizes("8..1K*4") == sizes{8, 32, 128, 512});
    CHECK(parse_sizes("3,1..4,1M") == sizes{1, 2, 3, 4, 1u << 20});
}

TEST_CASE("what is no list of sizes is refused") {
    for (const char* text : {"", "8,", "8..", "..8", "8..x", "64..8", "8..64*", "8..64*1", "8*2", "8..64*2*2"})
        CHECK_THROWS_AS(parse_sizes(text), std::invalid_argument);
}

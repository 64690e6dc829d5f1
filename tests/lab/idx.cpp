// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/lab/train/idx.hpp"

#include "support/catch.hpp"

using namespace tutti::tools;

namespace {

std::string number(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

// Three pictures of 2 x 2 pixels: 0 1 2 3, 4 5 6 7, 8 9 10 11.
std::string pictures() {
    std::string bytes = number(0x803) + number(3) + number(2) + number(2);
    for (char pixel = 0; pixel < 12; ++pixel) bytes += pixel;
    return bytes;
}

std::string labels() { return number(0x801) + number(3) + std::string{7, 0, 9}; }

dataset parse(const std::string& images, const std::string& names, share part = {}) {
    return parse_idx(images, "images", names, "labels", part);
}

} // namespace

TEST_CASE("pictures and labels are read as they stand") {
    const dataset set = parse(pictures(), labels());
    REQUIRE(set.size() == 3);
    CHECK(set.pixels == 4);
    CHECK(set.labels == std::vector<std::uint8_t>{7, 0, 9});
    CHECK(set.image(1)[0] == 4);
    CHECK(set.image(2)[3] == 11);
}

TEST_CASE("a rank reads every n-th picture, and all ranks together read each once") {
    const dataset even = parse(pictures(), labels(), {0, 2}), odd = parse(pictures(), labels(), {1, 2});
    CHECK(even.labels == std::vector<std::uint8_t>{7, 9});
    CHECK(even.image(1)[0] == 8);
    CHECK(odd.labels == std::vector<std::uint8_t>{0});
    CHECK(parse(pictures(), labels(), {5, 6}).size() == 0);
    CHECK(size_of({0, 2}, 3) == 2);
    CHECK(size_of({1, 2}, 3) == 1);
    CHECK(size_of({5, 6}, 3) == 0);
}

TEST_CASE("every truncation is refused") {
    const std::string whole = pictures(), names = labels();
    for (std::size_t length = 0; length < whole.size(); ++length)
        REQUIRE_THROWS_WITH(parse(whole.substr(0, length), names), Catch::StartsWith("images: "));
    for (std::size_t length = 0; length < names.size(); ++length)
        REQUIRE_THROWS_WITH(parse(whole, names.substr(0, length)), Catch::StartsWith("labels: "));
}

TEST_CASE("bytes behind the end are refused") {
    CHECK_THROWS_WITH(parse(pictures() + "x", labels()), Catch::Contains("13 bytes of data where its header says 12"));
}

TEST_CASE("another magic number is refused") {
    CHECK_THROWS_WITH(parse(labels() + pictures(), labels()), Catch::Contains("magic number 2049 instead of 2051"));
    CHECK_THROWS_WITH(parse(pictures(), pictures()), Catch::Contains("magic number 2051 instead of 2049"));
}

TEST_CASE("sizes that multiply to more than memory can hold are refused without being believed") {
    const std::uint32_t huge = 0xffffffff;
    CHECK_THROWS_WITH(parse(number(0x803) + number(huge) + number(huge) + number(huge), labels()),
                      Catch::Contains("more data than can exist"));
    CHECK_THROWS_WITH(parse(number(0x803) + number(huge) + number(huge) + number(1), labels()),
                      Catch::Contains("header says"));
}

TEST_CASE("labels that do not fit the pictures are refused") {
    CHECK_THROWS_WITH(parse(pictures(), number(0x801) + number(2) + std::string{1, 2}),
                      Catch::Contains("2 labels for the 3 pictures"));
    CHECK_THROWS_WITH(parse(pictures(), number(0x801) + number(3) + std::string{1, 2, 10}),
                      Catch::Contains("label 2 is 10, not a digit"));
    CHECK_THROWS_WITH(parse(number(0x803) + number(3) + number(0) + number(2), labels()),
                      Catch::Contains("without pixels"));
}

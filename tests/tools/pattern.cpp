// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/pattern.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <vector>

using namespace tutti::tools;
using tutti::operator_type;

namespace {

constexpr operator_type arithmetic[] = {operator_type::sum, operator_type::product, operator_type::minimum,
                                        operator_type::maximum};
constexpr int some_ranks[] = {1, 2, 3, 4, 7, 16, 64};

template <class T>
std::vector<T> reduced(operator_type op, int ranks, std::size_t count) {
    std::vector<T> data(count);
    fill<T>(data, reduction_of<T>(op, ranks));
    return data;
}

template <class T>
std::size_t wrong(const std::vector<T>& found, operator_type op, int ranks) {
    return count_wrong<T>(found, reduction_of<T>(op, ranks));
}

// The reduction in the widest type, from the inputs as they are.
template <class T>
long double exactly(operator_type op, int ranks, std::size_t i) {
    long double result = input_of<T>(op, 0, ranks)[i];
    for (int rank = 1; rank < ranks; ++rank) {
        const long double other = input_of<T>(op, rank, ranks)[i];
        switch (op) {
        case operator_type::product: result *= other; break;
        case operator_type::minimum: result = std::min(result, other); break;
        case operator_type::maximum: result = std::max(result, other); break;
        default: result += other;
        }
    }
    return result;
}

} // namespace

TEMPLATE_TEST_CASE("no result is rounded and none overflows", "", std::int8_t, std::uint8_t, std::int32_t,
                   std::uint64_t, tutti::float16, tutti::bfloat16, tutti::float8_e4m3, tutti::float8_e5m2, float,
                   double) {
    for (operator_type op : arithmetic)
        for (int ranks : some_ranks)
            for (std::size_t i = 0; i < period; ++i)
                REQUIRE(static_cast<long double>(reduction_of<TestType>(op, ranks)[i]) ==
                        exactly<TestType>(op, ranks, i));
}

TEST_CASE("an average is the exact sum times the reciprocal, rounded as the library rounds it") {
    for (int ranks : some_ranks) {
        const auto sums = reduction_of<float>(operator_type::sum, ranks),
                   averages = reduction_of<float>(operator_type::average, ranks);
        for (std::size_t i = 0; i < period; ++i) REQUIRE(averages[i] == sums[i] * (1.f / static_cast<float>(ranks)));
    }
}

TEST_CASE("ranks put in different things") {
    for (operator_type op : arithmetic) CHECK(input_of<float>(op, 0, 4) != input_of<float>(op, 1, 4));
}

TEST_CASE("a pattern goes on where it is told to") {
    const auto pattern = input_of<std::int32_t>(operator_type::sum, 1, 4);
    std::vector<std::int32_t> whole(1000), part(700);
    fill<std::int32_t>(whole, pattern);
    fill<std::int32_t>(part, pattern, 300);
    CHECK(std::equal(part.begin(), part.end(), whole.begin() + 300));
    CHECK(count_wrong<std::int32_t>(part, pattern, 300) == 0);
    CHECK(count_wrong<std::int32_t>(part, pattern, 301) > 600);
}

TEST_CASE("what is right counts as right, and one wrong element as one, at every place") {
    for (std::size_t count : {0u, 1u, 250u, 251u, 252u, 1000u}) {
        auto data = reduced<float>(operator_type::sum, 4, count);
        CHECK(wrong(data, operator_type::sum, 4) == 0);
        for (std::size_t i = 0; i < count; ++i) {
            data[i] += 1;
            REQUIRE(wrong(data, operator_type::sum, 4) == 1);
            data[i] -= 1;
        }
    }
}

TEST_CASE("minus zero is zero, and a NaN is always wrong") {
    auto data = reduced<float>(operator_type::sum, 4, period);
    const auto zero = std::find(data.begin(), data.end(), 0.f);
    REQUIRE(zero != data.end());
    *zero = -0.f;
    CHECK(wrong(data, operator_type::sum, 4) == 0);
    *zero = std::numeric_limits<float>::quiet_NaN();
    CHECK(wrong(data, operator_type::sum, 4) == 1);
}

TEMPLATE_TEST_CASE("two swapped chunks are seen", "", std::int8_t, float) {
    auto data = reduced<TestType>(operator_type::sum, 16, 1024);
    std::swap_ranges(data.begin(), data.begin() + 256, data.begin() + 512);
    CHECK(wrong(data, operator_type::sum, 16) > 400);
}

TEMPLATE_TEST_CASE("a contribution that is missing or doubled is seen", "", std::int8_t, std::uint8_t, float) {
    for (operator_type op : {operator_type::sum, operator_type::product})
        for (int rank = 0; rank < 4; ++rank)
            for (bool twice : {false, true}) {
                period_of<TestType> faulty = input_of<TestType>(op, twice ? rank : (rank + 1) % 4, 4);
                for (int other = 0; other < 4; ++other)
                    if (twice || (other != rank && other != (rank + 1) % 4))
                        for (std::size_t i = 0; i < period; ++i)
                            faulty[i] =
                                tutti::tools::detail::combined(op, faulty[i], input_of<TestType>(op, other, 4)[i]);
                CHECK(count_wrong<TestType>(faulty, reduction_of<TestType>(op, 4)) > 50);
            }
}

TEST_CASE("the bitwise operators have their own results") {
    const auto with_and = reduction_of<std::uint16_t>(operator_type::bitwise_and, 3);
    const auto with_or = reduction_of<std::uint16_t>(operator_type::bitwise_or, 3);
    const auto with_xor = reduction_of<std::uint16_t>(operator_type::bitwise_xor, 3);
    for (std::size_t i = 0; i < period; ++i) {
        const auto a = input_of<std::uint16_t>(operator_type::bitwise_or, 0, 3)[i],
                   b = input_of<std::uint16_t>(operator_type::bitwise_or, 1, 3)[i],
                   c = input_of<std::uint16_t>(operator_type::bitwise_or, 2, 3)[i];
        REQUIRE(with_and[i] == (a & b & c));
        REQUIRE(with_or[i] == (a | b | c));
        REQUIRE(with_xor[i] == (a ^ b ^ c));
    }
}

TEST_CASE("the logical operators have results of both kinds") {
    for (const operator_type op : {operator_type::logical_and, operator_type::logical_or, operator_type::logical_xor}) {
        const auto results = reduction_of<float>(op, 3);
        const auto a = input_of<float>(op, 0, 3), b = input_of<float>(op, 1, 3), c = input_of<float>(op, 2, 3);
        int truths = 0;
        for (std::size_t i = 0; i < period; ++i) {
            const int number = (a[i] != 0) + (b[i] != 0) + (c[i] != 0);
            const bool expected = op == operator_type::logical_and  ? number == 3
                                  : op == operator_type::logical_or ? number > 0
                                                                    : number % 2 == 1;
            REQUIRE(results[i] == (expected ? 1.f : 0.f));
            truths += expected;
        }
        CHECK((truths > 0 && truths < static_cast<int>(period)));
    }
}

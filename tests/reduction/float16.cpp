// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/narrow_float.hpp>

#include <collectives/reduction/kernel.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace {

using tutti::bfloat16;
using tutti::float16;

/// The number that 16 bits stand for, from the definition of the formats.
template <class T>
double defined(std::uint16_t bits) {
    constexpr int fraction_bits = T::format::digits - 1;
    constexpr int exponents = 1 << (15 - fraction_bits), bias = exponents / 2 - 1;
    const int magnitude = bits & 0x7fff, fraction = magnitude & ((1 << fraction_bits) - 1);
    const int exponent = magnitude >> fraction_bits;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == exponents - 1)
        return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

template <class T>
T of(int bits) {
    return T::from_bits(static_cast<std::uint16_t>(bits));
}

/// Bits of the only NaN that is stored, and of infinity.
template <class T>
constexpr int nan_bits = std::is_same_v<T, float16> ? 0x7e00 : 0x7fc0;
template <class T>
constexpr int infinity_bits = std::is_same_v<T, float16> ? 0x7c00 : 0x7f80;

template <class T>
void check_all_numbers() {
    int faults = 0;
    for (int bits = 0; bits < 65536; ++bits) {
        const double number = defined<T>(static_cast<std::uint16_t>(bits));
        const float wide = of<T>(bits);
        if (std::isnan(number))
            faults += !std::isnan(wide) || T(wide).bits != nan_bits<T>;
        else
            faults += wide != number || std::signbit(wide) != std::signbit(number) || T(wide).bits != bits;
    }
    REQUIRE(faults == 0);
}

/// Between each number and the next there is one place where the nearest changes: the middle, which goes to the even
/// one. Above the largest, infinity stands where the next number would be.
template <class T>
void check_all_middles() {
    int faults = 0;
    for (int bits = 0; bits < infinity_bits<T>; ++bits) {
        const double lower = defined<T>(static_cast<std::uint16_t>(bits));
        const double step = lower - defined<T>(static_cast<std::uint16_t>(bits - (bits > 0)));
        const double upper =
            bits + 1 < infinity_bits<T> ? defined<T>(static_cast<std::uint16_t>(bits + 1)) : lower + step;
        const auto middle = static_cast<float>((lower + upper) / 2);
        for (const int sign : {0, 0x8000}) {
            const auto bits_of = [sign](float x) { return T(sign ? -x : x).bits - sign; };
            faults += bits_of(middle) != bits + bits % 2;
            faults += bits_of(std::nextafter(middle, 0.0F)) != bits;
            faults += bits_of(std::nextafter(middle, std::numeric_limits<float>::infinity())) != bits + 1;
        }
    }
    REQUIRE(faults == 0);
}

/// The nearest of a result that double holds exactly, or so nearly that no middle lies between.
template <class T>
std::uint16_t nearest(double exact) {
    if (std::isnan(exact)) return nan_bits<T>;
    const int sign = std::signbit(exact) ? 0x8000 : 0;
    int low = 0, high = infinity_bits<T>; // defined(low) <= |exact|, and the number at `high` is above it
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (defined<T>(static_cast<std::uint16_t>(middle)) <= std::fabs(exact) ? low : high) = middle;
    }
    const double below = defined<T>(static_cast<std::uint16_t>(low));
    const double above = high < infinity_bits<T> ? defined<T>(static_cast<std::uint16_t>(high))
                                                 : 2 * below - defined<T>(static_cast<std::uint16_t>(low - 1));
    const double position = std::fabs(exact) - below, half = (above - below) / 2;
    const bool up = position > half || (position == half && low % 2 == 1);
    return static_cast<std::uint16_t>((up ? high : low) | sign);
}

template <class T>
void check_arithmetic() {
    std::mt19937 random(11);
    int faults = 0;
    for (int round = 0; round < 200000; ++round) {
        const auto a = of<T>(static_cast<int>(random() % 65536)), b = of<T>(static_cast<int>(random() % 65536));
        const double x = defined<T>(a.bits), y = defined<T>(b.bits);
        faults += tutti::product(a, b).bits != nearest<T>(x * y);
        if (std::fabs(x) < 0x1p60 && std::fabs(y) < 0x1p60 && // else double might not hold the sum
            (x == 0 || y == 0 || std::fabs(std::log2(std::fabs(x)) - std::log2(std::fabs(y))) < 40))
            faults += tutti::sum(a, b).bits != nearest<T>(x + y);
    }
    REQUIRE(faults == 0);
}

template <class T>
void check_scale() {
    using namespace tutti::detail;
    for (const auto set :
         {instructions::baseline, instructions::avx2, instructions::avx512, instructions::avx512_fp16}) {
        if (!has(set)) continue;
        std::vector<T> data; // at an odd address, with some left over
        for (int bits = 0; bits < 65536 + 7; ++bits) data.push_back(of<T>(bits));
        std::vector<std::byte> place(2 * data.size() + 1);
        std::memcpy(place.data() + 1, data.data(), 2 * data.size());
        scale<T>(place.data() + 1, place.data() + 1, data.size(), 1.0F / 3, set);
        int faults = 0;
        for (std::size_t i = 0; i < data.size(); ++i)
            faults += load<T>(place.data() + 1 + 2 * i).bits != T(float(data[i]) * (1.0F / 3)).bits;
        CAPTURE(static_cast<int>(set));
        CHECK(faults == 0);
    }
}

static_assert(std::is_trivially_copyable_v<float16> && std::is_trivially_default_constructible_v<float16>);
static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2 && alignof(float16) == 2);
static_assert(std::is_convertible_v<float16, float> && !std::is_convertible_v<float, float16>);
static_assert(tutti::element<float16> && tutti::element<bfloat16>);
static_assert(tutti::operator_on<tutti::average_operator, float16> &&
              !tutti::operator_on<tutti::bitwise_or_operator, float16>);
static_assert(float(float16(1.5F)) == 1.5F && float(bfloat16(-3.0F)) == -3.0F);

} // namespace

TEST_CASE("every number of 16 bits becomes the float that it is, and comes back") {
    check_all_numbers<float16>();
    check_all_numbers<bfloat16>();
}

TEST_CASE("a float becomes the nearest number of 16 bits, ties to even, beyond the largest an infinity") {
    check_all_middles<float16>();
    check_all_middles<bfloat16>();
}

TEST_CASE("every NaN becomes the same one") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(float16(-nan).bits == 0x7e00);
    REQUIRE(bfloat16(-nan).bits == 0x7fc0);
    REQUIRE(tutti::sum(of<float16>(0xfc00), of<float16>(0x7c00)).bits == 0x7e00);
    REQUIRE(tutti::minimum(of<bfloat16>(0xff81), bfloat16(1.0F)).bits == 0x7fc0);
}

TEST_CASE("sum and product of 16 bits are the exact ones, rounded once") {
    check_arithmetic<float16>();
    check_arithmetic<bfloat16>();
}

TEST_CASE("minimum and maximum of 16 bits take -0 for less than +0") {
    const float16 plus(0.0F), minus(-0.0F);
    REQUIRE(tutti::minimum(plus, minus).bits == 0x8000);
    REQUIRE(tutti::maximum(minus, plus).bits == 0);
}

TEST_CASE("16-bit types have names and identities of their own") {
    REQUIRE(tutti::type_name<float16>() == "float16");
    REQUIRE(tutti::type_name<bfloat16>() == "bfloat16");
    STATIC_REQUIRE(tutti::type_id<float16>() != tutti::type_id<bfloat16>());
    STATIC_REQUIRE(tutti::type_id<float16>() != tutti::type_id<std::uint16_t>());
}

TEST_CASE("an average of 16 bits ends with one multiplication in float and one rounding") {
    const auto finish = tutti::finisher_of<tutti::average_operator, float16>();
    float16 data[] = {float16(10.0F), float16(-0.0F), of<float16>(0xfe01)};
    finish(reinterpret_cast<std::byte*>(data), 3, 3);
    CHECK(data[0].bits == float16(10.0F * (1.0F / 3.0F)).bits);
    CHECK(data[1].bits == 0x8000);
    CHECK(data[2].bits == 0x7e00);
}

TEST_CASE("every set of instructions gives the same average of every number of 16 bits") {
    check_scale<float16>();
    check_scale<bfloat16>();
}

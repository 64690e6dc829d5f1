// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/narrow_float.hpp>

#include <collectives/reduction/kernel.hpp>

#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace tutti::test::eight_bits { // float16.cpp has the same names for 16

namespace {

using tutti::float8_e4m3;
using tutti::float8_e5m2;

template <class T>
constexpr bool is_e4m3 = std::is_same_v<T, float8_e4m3>;
/// The largest number's bits; the next ones are NaN or infinity.
template <class T>
constexpr int largest_bits = is_e4m3<T> ? 0x7e : 0x7b;
/// What stands for a number beyond the largest.
template <class T>
constexpr int beyond_bits = is_e4m3<T> ? 0x7f : 0x7c;
constexpr int nan_bits = 0x7f;

template <class T>
T of(int bits) {
    return T::from_bits(static_cast<std::uint8_t>(bits));
}

/// The number that 8 bits stand for, by the fields of the specification.
template <class T>
double defined(int bits) {
    constexpr int fraction_bits = is_e4m3<T> ? 3 : 2, bias = is_e4m3<T> ? 7 : 15;
    const int magnitude = bits & 0x7f, fraction = magnitude & ((1 << fraction_bits) - 1);
    const int exponent = magnitude >> fraction_bits;
    const double sign = bits & 0x80 ? -1 : 1;
    if (magnitude > largest_bits<T>) {
        const bool infinite = !is_e4m3<T> && magnitude == 0x7c;
        return infinite ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
    return sign * std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/// Bits of the nearest number, found among all, ties to the even one. One step above the largest begins what is beyond.
template <class T>
int nearest(double exact) {
    if (std::isnan(exact)) return nan_bits;
    const double size = std::fabs(exact);
    const double largest = defined<T>(largest_bits<T>), step = largest - defined<T>(largest_bits<T> - 1);
    int best = 0;
    for (int bits = 1; bits <= largest_bits<T> + 1; ++bits) {
        const double here = bits <= largest_bits<T> ? defined<T>(bits) : largest + step;
        const double before = bits - 1 <= largest_bits<T> ? defined<T>(bits - 1) : largest;
        const double middle = (before + here) / 2;
        if (size > middle || (size == middle && bits % 2 == 0)) best = bits;
    }
    if (best > largest_bits<T>) best = beyond_bits<T>;
    return best == nan_bits ? nan_bits : best | (std::signbit(exact) ? 0x80 : 0);
}

template <class T>
void check_all_numbers() {
    for (int bits = 0; bits < 256; ++bits) {
        CAPTURE(tutti::type_name<T>(), bits);
        const double number = defined<T>(bits);
        const float wide = of<T>(bits);
        if (std::isnan(number)) {
            CHECK(std::isnan(wide));
            CHECK(T(wide).bits == nan_bits);
        } else {
            CHECK(wide == number);
            CHECK(std::signbit(wide) == std::signbit(number));
            CHECK(T(wide).bits == bits);
        }
    }
}

/// All floats that 16 bits make, and their neighbours: all middles of both formats are among them.
template <class T>
void check_all_floats() {
    int faults = 0;
    for (std::uint32_t upper = 0; upper < 1U << 16U; ++upper)
        for (const std::uint32_t lower : {0U, 1U, 0xffffU}) {
            const float x = std::bit_cast<float>(upper << 16U | lower);
            faults += T(x).bits != nearest<T>(x);
        }
    CAPTURE(tutti::type_name<T>());
    CHECK(faults == 0);
}

/// All pairs that there are.
template <class T>
void check_arithmetic() {
    int sums = 0, products = 0, least = 0, greatest = 0;
    for (int one = 0; one < 256; ++one)
        for (int two = 0; two < 256; ++two) {
            const T a = of<T>(one), b = of<T>(two);
            const double x = defined<T>(one), y = defined<T>(two);
            const bool is_nan = std::isnan(x) || std::isnan(y);
            const bool x_first = x < y || (x == y && std::signbit(x)); // -0 is less than +0
            sums += tutti::sum(a, b).bits != nearest<T>(x + y);
            products += tutti::product(a, b).bits != nearest<T>(x * y);
            least += tutti::minimum(a, b).bits != (is_nan ? nan_bits : x_first ? one : two);
            greatest += tutti::maximum(a, b).bits != (is_nan ? nan_bits : x_first ? two : one);
        }
    CAPTURE(tutti::type_name<T>());
    CHECK(sums == 0);
    CHECK(products == 0);
    CHECK(least == 0);
    CHECK(greatest == 0);
}

static_assert(std::is_trivially_copyable_v<float8_e4m3> && sizeof(float8_e4m3) == 1 && sizeof(float8_e5m2) == 1);
static_assert(tutti::element<float8_e4m3> && std::is_convertible_v<float8_e5m2, float>);
static_assert(float(float8_e4m3(-448.0F)) == -448.0F && float(float8_e5m2(57344.0F)) == 57344.0F);

} // namespace

TEST_CASE("every number of 8 bits becomes the float that it is, and comes back") {
    check_all_numbers<float8_e4m3>();
    check_all_numbers<float8_e5m2>();
}

TEST_CASE("a float becomes the nearest number of 8 bits, ties to even") {
    check_all_floats<float8_e4m3>();
    check_all_floats<float8_e5m2>();
}

TEST_CASE("beyond the largest number, e4m3 has NaN and e5m2 an infinity") {
    const float infinity = std::numeric_limits<float>::infinity();
    CHECK(float8_e4m3(464.0F).bits == 0x7e);
    CHECK(float8_e4m3(std::nextafter(464.0F, infinity)).bits == 0x7f);
    CHECK(float8_e4m3(-infinity).bits == 0x7f);
    CHECK(float8_e5m2(std::nextafter(61440.0F, 0.0F)).bits == 0x7b);
    CHECK(float8_e5m2(-61440.0F).bits == 0xfc);
    CHECK(float8_e5m2(-infinity).bits == 0xfc);
}

TEST_CASE("the operators on 8 bits give the exact result, rounded once, for all pairs") {
    check_arithmetic<float8_e4m3>();
    check_arithmetic<float8_e5m2>();
}

TEST_CASE("8-bit types have names and identities of their own") {
    CHECK(tutti::type_name<float8_e4m3>() == "float8_e4m3");
    CHECK(tutti::type_name<float8_e5m2>() == "float8_e5m2");
    STATIC_REQUIRE(tutti::type_id<float8_e4m3>() != tutti::type_id<float8_e5m2>());
    STATIC_REQUIRE(tutti::type_id<float8_e4m3>() != tutti::type_id<std::uint8_t>());
}

TEST_CASE("an average of 8 bits ends with one multiplication in float and one rounding") {
    const auto finish = tutti::finisher_of<tutti::average_operator, float8_e4m3>();
    std::vector<float8_e4m3> data;
    for (int k = 0; k < 3 * 256 + 5; ++k) data.push_back(of<float8_e4m3>(k % 256));
    auto expected = data;
    for (auto& x : expected) x = float8_e4m3(float(x) * (1.0F / 3));
    finish(reinterpret_cast<std::byte*>(data.data()), data.size(), 3);
    int faults = 0;
    for (std::size_t i = 0; i < data.size(); ++i) faults += data[i].bits != expected[i].bits;
    CHECK(faults == 0);
}

} // namespace tutti::test::eight_bits

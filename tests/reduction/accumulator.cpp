// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/accumulator.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tutti::test::accumulators {
namespace {

__extension__ using integer = __int128;
using generator = std::mt19937_64;

template <class T>
inline constexpr std::uint64_t patterns = sizeof(T) < 8 ? std::uint64_t{1} << (8 * sizeof(T)) : 0;

/// Of random bits, so from subnormal to the largest; finite.
template <class T>
T any_number(generator& random) {
    for (;;) {
        T x;
        if constexpr (detail::is_narrow_float<T>)
            x = T::from_bits(static_cast<T::storage>(random() % patterns<T>));
        else if constexpr (sizeof(T) == 4)
            x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        else
            x = std::bit_cast<double>(random());
        if (std::isfinite(static_cast<detail::wide<T>>(x))) return x;
    }
}
/// Between -2 and 2, from time to time 0 or very small.
template <class T>
T common_number(generator& random) {
    const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -62);
    const double small = random() % 16 == 0 ? 1e-30 : random() % 16 == 1 ? 0 : 1;
    return T(static_cast<detail::wide<T>>(x * small));
}

template <class T>
std::vector<T> numbers(generator& random, std::size_t count, bool any) {
    std::vector<T> all(count);
    // Now and then the largest come late, so that bins are dropped on the way.
    for (auto& x : all) x = any ? any_number<T>(random) : common_number<T>(random);
    if (any && random() % 2 == 0)
        std::sort(all.begin(), all.end(), [](T a, T b) {
            return std::abs(static_cast<detail::wide<T>>(a)) < std::abs(static_cast<detail::wide<T>>(b));
        });
    return all;
}

template <class Sum>
Sum one_by_one(std::span<const typename Sum::value_type> all) {
    Sum total;
    for (const auto x : all) total.add(x);
    return total;
}
template <class Sum>
Sum at_once(std::span<const typename Sum::value_type> all) {
    Sum total;
    total.add(all);
    return total;
}
/// In parts of random lengths, added in random order.
template <class Sum>
Sum in_parts(generator& random, std::span<const typename Sum::value_type> all) {
    std::vector<Sum> parts;
    while (!all.empty()) {
        const std::size_t part = 1 + random() % std::min<std::size_t>(all.size(), 1500);
        parts.push_back(at_once<Sum>(all.first(part)));
        all = all.subspan(part);
    }
    std::shuffle(parts.begin(), parts.end(), random);
    Sum total;
    for (const Sum& part : parts) total = sum(total, part);
    return total;
}

/// Of the T on both sides of x, the nearest; ties to even.
template <class T>
T nearest(double x) {
    const T guess(static_cast<float>(x));
    T best = guess;
    for (const int step : {-1, 1}) {
        const T other = T::from_bits(static_cast<T::storage>(guess.bits + step));
        const double a = std::abs(static_cast<float>(other) - x), b = std::abs(static_cast<float>(best) - x);
        if (a < b || (a == b && other.bits % 2 == 0)) best = other;
    }
    return best;
}

template <class T>
bool equal_bits(T a, T b) {
    return std::bit_cast<detail::float_bits<T>>(a) == std::bit_cast<detail::float_bits<T>>(b);
}

} // namespace

TEMPLATE_TEST_CASE("an accumulator has one state for the same numbers, in any order and partition", "",
                   accumulator<double>, accumulator<float>, accumulator<bfloat16>, accumulator<float16>,
                   accumulator<float8_e4m3>, accumulator<float8_e5m2>, exact_accumulator<double>,
                   exact_accumulator<float>, exact_accumulator<bfloat16>) {
    generator random(1901);
    for (int i = 0; i < 20; ++i) {
        auto all = numbers<typename TestType::value_type>(random, random() % 6000, i % 2 == 0);
        const TestType total = one_by_one<TestType>(all);
        REQUIRE(at_once<TestType>(all) == total);
        for (int p = 0; p < 10; ++p) {
            REQUIRE(in_parts<TestType>(random, all) == total);
            std::shuffle(all.begin(), all.end(), random);
        }
    }
}

TEST_CASE("sums of doubles and floats are the exact ones, rounded once") {
    generator random(1902);
    for (int i = 0; i < 2000; ++i) {
        integer wide = 0, narrow = 0;
        exact_accumulator<double> exact;
        accumulator<double> binned;
        exact_accumulator<float> exact_of_float;
        for (int n = 0; n < 100; ++n) {
            const auto significand = static_cast<std::int64_t>(random()) >> (11 + random() % 40);
            const auto shift = static_cast<int>(random() % 40);
            const double x = std::ldexp(static_cast<double>(significand), shift);
            wide += static_cast<integer>(significand) * (std::int64_t{1} << shift);
            exact.add(x);
            binned.add(x);
            const auto y = static_cast<float>(significand >> 20);
            narrow += static_cast<integer>(y);
            exact_of_float.add(y);
        }
        REQUIRE(equal_bits(exact.value(), static_cast<double>(wide)));
        REQUIRE(equal_bits(binned.value(), static_cast<double>(wide)));
        REQUIRE(equal_bits(exact.value<float>(), static_cast<float>(wide)));
        REQUIRE(equal_bits(exact_of_float.value(), static_cast<float>(narrow)));
        REQUIRE(equal_bits(exact_of_float.value<double>(), static_cast<double>(narrow)));
    }
}

TEMPLATE_TEST_CASE("sums of 16 and 8 bits are the exact ones, rounded once", "", float16, float8_e4m3, float8_e5m2) {
    generator random(1903);
    constexpr int lowest = detail::lowest_exponent<TestType>();
    for (int i = 0; i < 300; ++i) {
        const auto all = numbers<TestType>(random, random() % 2000, i % 2 == 0);
        std::int64_t units = 0;
        for (const TestType x : all) units += static_cast<std::int64_t>(std::ldexp(static_cast<double>(x), -lowest));
        const double total = std::ldexp(static_cast<double>(units), lowest);
        const auto sum_of_all = at_once<accumulator<TestType>>(all);
        REQUIRE(sum_of_all.template value<double>() == total);
        if (std::abs(total) <= 256)
            REQUIRE(static_cast<float>(sum_of_all.value()) == static_cast<float>(nearest<TestType>(total)));
    }
}

TEMPLATE_TEST_CASE("what an accumulator loses is within its bound", "", double, float, bfloat16) {
    generator random(1904);
    double most_lost = 0;
    for (int i = 0; i < 100; ++i) {
        auto all = numbers<TestType>(random, 1000, false);
        exact_accumulator<TestType> exact;
        for (auto& x : all) {
            const int down = static_cast<int>(random() % 100);
            x = TestType(static_cast<detail::wide<TestType>>(std::ldexp(static_cast<double>(x), -down)));
            exact.add(x);
        }
        // The total becomes so small that rounding it at the end does not hide what was lost.
        for (int n = 0; n < 8; ++n) {
            all.push_back(TestType(-exact.template value<detail::wide<TestType>>()));
            exact.add(all.back());
        }
        double largest = 0;
        for (const TestType x : all) largest = std::max(largest, std::abs(static_cast<double>(x)));
        const auto binned = at_once<accumulator<TestType>>(all);
        const double lost = std::abs(binned.template value<double>() - exact.template value<double>());
        REQUIRE(lost <=
                std::ldexp(static_cast<double>(all.size()) * largest, 23 - 24 * detail::default_bins<TestType>));
        most_lost = std::max(most_lost, lost);
    }
    CHECK(most_lost > 0);
}

TEMPLATE_TEST_CASE("special numbers: infinities, NaN, overflow that is taken back, zeros", "", accumulator<double>,
                   exact_accumulator<double>, accumulator<float>, exact_accumulator<float>) {
    using T = TestType::value_type;
    constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
    const auto of = [](std::vector<T> all) {
        const TestType total = one_by_one<TestType>(all);
        all.resize(600); // by vectors as well
        CHECK(at_once<TestType>(all) == total);
        return total.value();
    };
    CHECK(equal_bits(of({}), T{0}));
    CHECK(equal_bits(of({-T{0}, -T{0}}), T{0}));
    CHECK(equal_bits(of({1, -1}), T{0}));
    CHECK(of({least, least}) == 2 * least);
    CHECK(of({-least}) == -least);
    CHECK(of({most, most, -most}) == most);
    CHECK(of({most, most}) == infinity);
    CHECK(of({-most, -most, -1}) == -infinity);
    CHECK(of({most, -most, most, -1}) == most);
    CHECK(of({1, infinity, -most}) == infinity);
    CHECK(of({-infinity, 5}) == -infinity);
    CHECK(equal_bits(of({infinity, -infinity}), nan));
    CHECK(equal_bits(of({-nan, 1, infinity}), nan));
}

TEST_CASE("what is too large for a format of 8 bits becomes what a conversion makes of it") {
    accumulator<float8_e4m3> small;
    accumulator<float8_e5m2> large;
    for (int i = 0; i < 2; ++i) {
        small.add(float8_e4m3(448.0F));
        large.add(float8_e5m2(57344.0F));
    }
    CHECK(std::isnan(static_cast<float>(small.value())));
    CHECK(small.value<float>() == 896);
    CHECK(std::isinf(static_cast<float>(large.value())));
    small.add(float8_e4m3(-448.0F));
    CHECK(static_cast<float>(small.value()) == 448);
}

TEST_CASE("a result of another type is rounded once, also below its normal numbers") {
    const auto of = [](std::vector<double> all) { return at_once<exact_accumulator<double>>(all); };
    // By way of float the last number would be lost, and the tie go to the even one.
    CHECK(static_cast<float>(of({1, 0x1p-11, 0x1p-60}).value<float16>()) == 1 + 0x1p-10F);
    CHECK(static_cast<float>(of({1, 0x1p-11}).value<float16>()) == 1);
    CHECK(static_cast<float>(of({0x1p-25, 0x1p-200}).value<float16>()) == 0x1p-24F);
    CHECK(static_cast<float>(of({0x1p-25}).value<float16>()) == 0);
    CHECK(of({0x1p-150, 0x1p-160}).value<float>() == 0x1p-149F);
    CHECK(of({0x1p-150}).value<float>() == 0);
    CHECK(of({0x1p-151}).value<float>() == 0);
    CHECK(of({0x1p127, 0x1p127}).value<float>() == std::numeric_limits<float>::infinity());
    CHECK(of({0x1p127, 0x1p127, -0x1p103}).value<float>() == std::numeric_limits<float>::infinity());
    CHECK(of({0x1p127, 0x1p127, -0x1p103, -1}).value<float>() == std::numeric_limits<float>::max());
    STATIC_REQUIRE([] {
        accumulator<double> total;
        total.add(1e300);
        total.add(1);
        total.add(-1e300);
        return total.value();
    }() == 0); // the 1 lies below the lowest bin
    STATIC_REQUIRE([] {
        exact_accumulator<double> total;
        total.add(1e300);
        total.add(1);
        total.add(-1e300);
        return total.value();
    }() == 1);
}

#if defined(__x86_64__)
TEMPLATE_TEST_CASE("a processor that flushes subnormal numbers, or rounds otherwise, gives the same sums", "",
                   accumulator<double>, accumulator<float>, accumulator<bfloat16>, exact_accumulator<double>,
                   exact_accumulator<float>, exact_accumulator<bfloat16>) {
    using T = TestType::value_type;
    generator random(1905);
    constexpr int lowest = detail::lowest_exponent<T>();
    const unsigned before = _mm_getcsr();
    for (int i = 0; i < 200; ++i) {
        // Some 120 bits from the least number on: subnormal ones, and normal ones whose parts are.
        std::vector<T> all(2000);
        for (auto& x : all)
            x = T(static_cast<detail::wide<T>>(std::ldexp(static_cast<double>(random() % 4096) - 2048,
                                                          lowest + static_cast<int>(random() % 10 * (i % 12)))));
        const TestType total = one_by_one<TestType>(all);
        constexpr std::array modes{0x8040U, 0x2000U, 0x4000U, 0x6000U}; // flushed; rounded down, up, to zero
        _mm_setcsr(before | modes[static_cast<std::size_t>(i) % modes.size()]);
        const TestType flushed = at_once<TestType>(all);
        const auto value =
            std::bit_cast<detail::float_bits<detail::wide<T>>>(flushed.template value<detail::wide<T>>());
        _mm_setcsr(before);
        REQUIRE(flushed == total);
        REQUIRE(value == std::bit_cast<detail::float_bits<detail::wide<T>>>(total.template value<detail::wide<T>>()));
    }
}

TEMPLATE_TEST_CASE("and the same values of narrower types", "", float16, float8_e4m3, float8_e5m2, bfloat16) {
    generator random(1906);
    const unsigned before = _mm_getcsr();
    for (int i = 0; i < 2000; ++i) {
        accumulator<float> total;
        const int exponent = static_cast<int>(random() % 40);
        total.add(static_cast<float>(std::ldexp(static_cast<double>(random() % 4096) - 2048, -exponent)));
        const auto nearest = total.value<TestType>();
        constexpr std::array modes{0x8040U, 0x2000U, 0x4000U, 0x6000U};
        _mm_setcsr(before | modes[static_cast<std::size_t>(i) % modes.size()]);
        const auto value = total.value<TestType>();
        _mm_setcsr(before);
        REQUIRE(value.bits == nearest.bits);
    }
}
#endif

} // namespace tutti::test::accumulators

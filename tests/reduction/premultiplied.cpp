// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/premultiplied.hpp>

#include <collectives/reduction/complex.hpp>
#include <collectives/reduction/start.hpp>

#include "support/catch.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tutti::test::premultiplied {
namespace {

template <class T>
std::vector<T> drawn(std::size_t count, unsigned seed) {
    std::mt19937 dice(seed);
    std::vector<T> all(count);
    for (T& x : all) {
        const double value = static_cast<double>(dice() % 200'001) / 7000 - 14;
        if constexpr (std::is_integral_v<T>)
            x = static_cast<T>(dice());
        else if constexpr (std::is_floating_point_v<T>)
            x = static_cast<T>(value);
        else
            x = T(static_cast<float>(value));
    }
    return all;
}

/// The first stage on data that are not aligned, out of place and in place.
template <class T, class Op>
std::vector<T> multiplied(const std::vector<T>& data, const Op& op) {
    const start first = starter_of<T>(op);
    const std::size_t bytes = data.size() * sizeof(T);
    std::vector<std::byte> from(bytes + 1), to(bytes + 3, std::byte{0x5a});
    if (bytes > 0) std::memcpy(from.data() + 1, data.data(), bytes);
    first.run(to.data() + 2, from.data() + 1, data.size(), first.factor.data());
    CHECK(to[1] == std::byte{0x5a});
    CHECK(to[bytes + 2] == std::byte{0x5a});
    CHECK((bytes == 0 || std::memcmp(from.data() + 1, data.data(), bytes) == 0));
    first.run(from.data() + 1, from.data() + 1, data.size(), first.factor.data());
    CHECK(std::memcmp(from.data() + 1, to.data() + 2, bytes) == 0);
    std::vector<T> result(data.size());
    if (bytes > 0) std::memcpy(result.data(), to.data() + 2, bytes);
    return result;
}

constexpr std::size_t lengths[] = {0, 1, 31, 64, 1000};

} // namespace

TEMPLATE_TEST_CASE("each element is multiplied by the factor, and rounded once", "", float, double, long double) {
    for (const std::size_t n : lengths) {
        const auto data = drawn<TestType>(n, 1), found = multiplied(data, premultiplied_sum(TestType{1} / 3));
        for (std::size_t i = 0; i < n; ++i) CHECK(found[i] == data[i] * (TestType{1} / 3));
    }
}

TEMPLATE_TEST_CASE("floats of 16 and 8 bits are multiplied as float by a float, and rounded once", "", float16,
                   bfloat16, float8_e4m3, float8_e5m2) {
    for (const std::size_t n : lengths) {
        const auto data = drawn<TestType>(n, 2), found = multiplied(data, premultiplied_sum(0.3));
        for (std::size_t i = 0; i < n; ++i) CHECK(found[i].bits == TestType(static_cast<float>(data[i]) * 0.3F).bits);
    }
    CHECK(multiplied(std::vector{TestType(2.0F)}, premultiplied_sum(TestType(1.5F)))[0].bits == TestType(3.0F).bits);
}

TEMPLATE_TEST_CASE("integers wrap", "", std::int8_t, std::uint16_t, std::int32_t, std::uint64_t) {
    for (const std::size_t n : lengths) {
        const auto data = drawn<TestType>(n, 3), found = multiplied(data, premultiplied_sum(-77));
        for (std::size_t i = 0; i < n; ++i)
            CHECK(found[i] == static_cast<TestType>(static_cast<std::uint64_t>(data[i]) * std::uint64_t(-77)));
    }
}

TEST_CASE("a complex number is multiplied by a real one, part by part") {
    const std::vector<std::complex<float>> data{{1, -2}, {0.1F, 3}};
    const auto found = multiplied(data, premultiplied_sum(0.7));
    CHECK(found[1] == std::complex<float>(0.1F * 0.7F, 3 * 0.7F));
    CHECK(found[0] == std::complex<float>(1 * 0.7F, -2 * 0.7F));
}

TEST_CASE("a product that is not a number is stored in the one form of NaN") {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto bits = [](float x) { return __builtin_bit_cast(std::uint32_t, x); };
    const std::vector<float> data{infinity, -std::numeric_limits<float>::quiet_NaN(), 1.0F};
    const auto by_zero = multiplied(data, premultiplied_sum(0)), by_nan = multiplied(data, premultiplied_sum(-data[1]));
    CHECK(bits(by_zero[0]) == 0x7fc00000);
    CHECK(bits(by_zero[1]) == 0x7fc00000);
    CHECK(bits(by_nan[2]) == 0x7fc00000);
    CHECK(multiplied(std::vector{float16(infinity)}, premultiplied_sum(0))[0].bits == 0x7e00);
}

TEMPLATE_TEST_CASE("a factor that is NaN in any form makes every product NaN", "", float16, bfloat16, float8_e4m3,
                   float8_e5m2) {
    for (const std::uint32_t form : {0x7fc00000U, 0x7fffffffU, 0xffffffffU, 0x7f800001U}) {
        const std::vector<TestType> data(100, TestType(1.5F));
        for (const TestType x : multiplied(data, premultiplied_sum(__builtin_bit_cast(float, form))))
            CHECK(x.bits == TestType(std::numeric_limits<float>::quiet_NaN()).bits);
    }
}

TEST_CASE("to ranks and errors the operator is one, whatever the factor") {
    STATIC_REQUIRE(operator_id<premultiplied_sum_operator<int>>() == operator_id<premultiplied_sum_operator<float>>());
    STATIC_REQUIRE(operator_id<premultiplied_sum_operator<int>>() != operator_id<sum_operator>());
    STATIC_REQUIRE(is_commutative_v<premultiplied_sum_operator<int>>);
    STATIC_REQUIRE(has_starter<non_commutative<premultiplied_sum_operator<int>>>);
    STATIC_REQUIRE(!has_starter<average_operator> && !has_finisher<premultiplied_sum_operator<int>, float>);
    STATIC_REQUIRE(!operator_on<premultiplied_sum_operator<float>, float>); // a call could not know which is the input
    CHECK(operator_name(premultiplied_sum(2)) == "premultiplied_sum");
    const float one = 1, two = 2;
    float three = 0;
    const reducer r = make_reducer<float>(premultiplied_sum(5));
    const auto bytes = [](auto& x) { return reinterpret_cast<std::byte*>(const_cast<float*>(&x)); };
    r.combine(bytes(three), bytes(one), bytes(two), 1, r.state);
    CHECK(three == 3);
    CHECK(!r.is_functor);
}

} // namespace tutti::test::premultiplied

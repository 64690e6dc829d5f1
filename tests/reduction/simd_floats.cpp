// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/simd/kernels.hpp>

#include "instruction_sets.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace {

template <class T>
void check_floating(const std::vector<std::vector<T>>& sources) {
    tutti::test::check_sets<T, tutti::sum_operator>(sources);
    tutti::test::check_sets<T, tutti::product_operator>(sources);
    tutti::test::check_sets<T, tutti::minimum_operator>(sources);
    tutti::test::check_sets<T, tutti::maximum_operator>(sources);
}

template <class T>
void check_wide() {
    using limits = std::numeric_limits<T>;
    check_floating(
        tutti::test::drawn<T>({T(0), -T(0), T(1), -T(1.5), limits::max(), limits::min(), limits::lowest(),
                               limits::infinity(), -limits::infinity(), limits::denorm_min(), limits::quiet_NaN(),
                               -limits::quiet_NaN(), limits::signaling_NaN(), T(1) / T(3)}));
}

/// All numbers that there are in the first source, against special and random ones in the others.
template <class T>
void check_narrow() {
    std::vector<T> corners;
    for (const int bits : {0, 0x8000, 1, 0x8001, 0x0400, 0x0080, 0x7c00, 0xfc00, 0x7c01, 0xfe12, 0x7f80, 0xff80, 0x7f81,
                           0xffc1, 0x7bff, 0x7f7f, 0x3c00, 0x3f80, 0x3bff})
        corners.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
    auto sources = tutti::test::drawn<T>(corners, 65536);
    for (std::size_t i = 0; i < 65536; ++i) sources[0][i] = T::from_bits(static_cast<std::uint16_t>(i * 40503));
    check_floating(sources);
}

/// The same of 8 bits. Every number meets every other, since 256 and 257 have no common divisor.
template <class T, class... Op>
void check_narrowest() {
    auto sources = tutti::test::drawn<T>({T(0.0F), T(-0.0F)}, 256 * 257);
    for (std::size_t i = 0; i < 256 * 257; ++i) {
        sources[0][i] = T::from_bits(static_cast<std::uint8_t>(i % 256));
        sources[1][i] = T::from_bits(static_cast<std::uint8_t>(i % 257));
    }
    (tutti::test::check_sets<T, Op>(sources), ...);
}

/// Destinations that are written past the caches, at an odd place and with elements left over at both ends.
template <class T, class Op>
void check_streamed() {
    using namespace tutti::detail;
    const std::size_t count = streamed_bytes / sizeof(T) + 77;
    std::vector<T> left(count), right(count), expected(count + 1), to(count + 2);
    for (std::size_t i = 0; i < count; ++i) {
        left[i] = T(static_cast<float>(i % 117));
        right[i] = T(static_cast<float>(i % 89));
    }
    std::byte* const place = reinterpret_cast<std::byte*>(to.data() + 1);
    const std::byte* const sources[] = {tutti::test::bytes_of(left), tutti::test::bytes_of(right)};
    using cached = compiled<reduce_kernel<T, Op, SIZE_MAX>, instructions::baseline>;
    cached::run(reinterpret_cast<std::byte*>(expected.data()), sources, 2, count, nullptr);
    for (const auto set : tutti::test::every_set) {
        if (!has(set)) continue;
        std::fill(to.begin(), to.end(), T(0.0F));
        const tutti::reducer r = vector_reducer<T, Op>(set);
        r.combine(place, sources[0], sources[1], count, r.state);
        CAPTURE(static_cast<int>(set), tutti::type_name<T>());
        CHECK(std::memcmp(place, expected.data(), (count + 1) * sizeof(T)) == 0);
        CHECK(to.front() == T(0.0F));
    }
}

} // namespace

TEST_CASE("every set of instructions gives the same bits of float and double") {
    check_wide<float>();
    check_wide<double>();
}

TEST_CASE("every set of instructions gives the same bits of float16, for every number that there is") {
    check_narrow<tutti::float16>();
}

TEST_CASE("every set of instructions gives the same bits of bfloat16, for every number that there is") {
    check_narrow<tutti::bfloat16>();
}

TEST_CASE("every set of instructions gives the same bits of numbers of 8 bits, for every pair") {
    check_narrowest<tutti::float8_e4m3, tutti::sum_operator, tutti::minimum_operator, tutti::maximum_operator>();
    check_narrowest<tutti::float8_e5m2, tutti::product_operator, tutti::minimum_operator, tutti::maximum_operator>();
}

TEST_CASE("large destinations get the same bits past the caches") {
    check_streamed<float, tutti::sum_operator>();
    check_streamed<std::int8_t, tutti::maximum_operator>();
    check_streamed<tutti::float16, tutti::sum_operator>();
    check_streamed<tutti::bfloat16, tutti::sum_operator>();
    check_streamed<tutti::float8_e5m2, tutti::sum_operator>();
}

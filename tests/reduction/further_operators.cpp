// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <collectives/reduction/complex.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace tutti::test::further_operators {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t canonical_nan = 0x7ff8000000000000;

template <class Op>
bool has_truth_table(const Op& op, bool none, bool one, bool both) {
    const auto of = [&]<class T>(T zero, T some, T more) {
        return op(zero, zero) == T(none) && op(zero, some) == T(one) && op(some, zero) == T(one) &&
               op(some, more) == T(both);
    };
    return of(0, 1, -7) && of(std::uint8_t{0}, std::uint8_t{255}, std::uint8_t{1}) && of(0.0, 0.5, nan) &&
           of(-0.0F, 1e-45F, 3.0F) && of(false, true, true) && of(float16(0.0F), float16(2.0F), float16(-1.0F)) &&
           of(bfloat16(-0.0F), bfloat16(1.0F), bfloat16(1.0F));
}

using place = located<double>;

} // namespace

TEST_CASE("the logical operators give 1 or 0 of any arithmetic type; -0 is false, NaN is true") {
    CHECK(has_truth_table(logical_and, false, false, true));
    CHECK(has_truth_table(logical_or, false, true, true));
    CHECK(has_truth_table(logical_xor, false, true, false));
    CHECK(operator_name(logical_and) == "logical_and");
    CHECK(operator_id(logical_and) != operator_id(logical_or));
    CHECK(operator_id(logical_or) != operator_id(logical_xor));
}

TEST_CASE("a kernel of a logical operator gives what the operator gives, for long runs as well") {
    const auto agrees = []<class T>(T, const auto& op) {
        constexpr std::size_t count = 1001;
        std::vector<T> a(count), b(count), c(count), found(count);
        for (std::size_t i = 0; i < count; ++i) {
            a[i] = T(static_cast<float>(i % 3));
            b[i] = T(static_cast<float>(i % 4));
            c[i] = T(static_cast<float>(i % 5 == 0 ? 0 : 7));
        }
        const reducer by = make_reducer<T>(op);
        const std::byte* const sources[]{reinterpret_cast<std::byte*>(a.data()), reinterpret_cast<std::byte*>(b.data()),
                                         reinterpret_cast<std::byte*>(c.data())};
        by.combine_many(reinterpret_cast<std::byte*>(found.data()), sources, 3, count, by.state);
        bool same = true;
        for (std::size_t i = 0; i < count; ++i) same = same && found[i] == op(op(a[i], b[i]), c[i]);
        by.combine(reinterpret_cast<std::byte*>(found.data()), sources[0], sources[1], count, by.state);
        for (std::size_t i = 0; i < count; ++i) same = same && found[i] == op(a[i], b[i]);
        return same;
    };
    const auto all_agree = [&](const auto& op) {
        return agrees(std::int8_t{}, op) && agrees(std::uint32_t{}, op) && agrees(std::int64_t{}, op) &&
               agrees(float{}, op) && agrees(double{}, op) && agrees(float16{}, op) && agrees(float8_e4m3{}, op);
    };
    CHECK(all_agree(logical_and));
    CHECK(all_agree(logical_or));
    CHECK(all_agree(logical_xor));
}

TEST_CASE("minimum and maximum with location keep the lowest index among equals, whatever the order") {
    const auto both = [](const auto& op, const place& a, const place& b, const place& wanted) {
        return op(a, b) == wanted && op(b, a) == wanted;
    };
    CHECK(both(minimum_location, {1, 5}, {2, 0}, {1, 5}));
    CHECK(both(maximum_location, {1, 5}, {2, 0}, {2, 0}));
    CHECK(both(minimum_location, {1, 5}, {1, 3}, {1, 3}));
    CHECK(both(maximum_location, {1, 5}, {1, 3}, {1, 3}));
    CHECK(both(minimum_location, {0.0, 1}, {-0.0, 2}, {-0.0, 2}));
    CHECK(both(maximum_location, {0.0, 2}, {-0.0, 1}, {0.0, 2}));
    STATIC_REQUIRE(minimum_location(located<int>{-3, 1}, located<int>{4, 0}) == located<int>{-3, 1});
    CHECK(maximum_location(located<float16>{float16(1.0F), 1}, located<float16>{float16(2.0F), 7}).index == 7);
}

TEST_CASE("a NaN wins with its lowest index, in its one form") {
    const double other_nan = std::bit_cast<double>(canonical_nan | 5 | std::uint64_t{1} << 63);
    const auto is_nan_at = [](const place& x, std::int64_t index) {
        return std::bit_cast<std::uint64_t>(x.value) == canonical_nan && x.index == index;
    };
    CHECK(is_nan_at(minimum_location(place{other_nan, 4}, place{-1, 0}), 4));
    CHECK(is_nan_at(minimum_location(place{-1, 0}, place{other_nan, 4}), 4));
    CHECK(is_nan_at(maximum_location(place{other_nan, 4}, place{1e300, 0}), 4));
    CHECK(is_nan_at(maximum_location(place{1e300, 0}, place{other_nan, 4}), 4));
    CHECK(is_nan_at(minimum_location(place{nan, 4}, place{other_nan, 3}), 3));
    CHECK(is_nan_at(maximum_location(place{nan, 3}, place{other_nan, 4}), 3));
}

TEST_CASE("logical, located and complex elements in collectives, by every algorithm") {
    CHECK_NOTHROW(run_world(5, [](const communicator& world) {
        for (const auto& how : algorithm::all(schedule::operation::allreduce)) {
            const int rank = world.rank();
            expect(!world.allreduce(rank != 3, logical_and, how), "not all");
            expect(world.allreduce(rank == 3 ? 0.5F : 0.0F, logical_or, how) == 1, "some");
            expect(world.allreduce(rank, logical_xor, how) == 0, "four of five are not 0");
            const located<float> mine{static_cast<float>(rank == 1 || rank == 4 ? 9 : rank), rank};
            expect(world.allreduce(mine, maximum_location, how) == located<float>{9, 1}, "the first of the largest");
            std::vector<std::complex<double>> data(1000);
            for (std::size_t i = 0; i < data.size(); ++i) data[i] = {static_cast<double>(i), 0.5 * rank};
            world.allreduce(data, sum, how);
            bool right = true;
            for (std::size_t i = 0; i < data.size(); ++i)
                right = right && data[i] == std::complex<double>(5.0 * static_cast<double>(i), 5);
            expect(right, "sums of complex numbers");
        }
        const std::complex<float> one{1, static_cast<float>(world.rank())};
        expect(world.allreduce(one, sum) == std::complex<float>(5, 10), "of one complex number");
    }));
}

} // namespace tutti::test::further_operators

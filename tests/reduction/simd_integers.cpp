// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/reduction/simd/kernels.hpp>

#include "instruction_sets.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <limits>

namespace {

template <class T>
void check_integer() {
    using limits = std::numeric_limits<T>;
    const auto sources = tutti::test::drawn<T>({T(0), T(1), T(-1), limits::min(), limits::max(), T(85)});
    tutti::test::check_sets<T, tutti::sum_operator>(sources);
    tutti::test::check_sets<T, tutti::product_operator>(sources);
    tutti::test::check_sets<T, tutti::minimum_operator>(sources);
    tutti::test::check_sets<T, tutti::maximum_operator>(sources);
    tutti::test::check_sets<T, tutti::bitwise_and_operator>(sources);
    tutti::test::check_sets<T, tutti::bitwise_or_operator>(sources);
    tutti::test::check_sets<T, tutti::bitwise_xor_operator>(sources);
}

} // namespace

TEST_CASE("every set of instructions gives the same signed integers") {
    check_integer<std::int8_t>();
    check_integer<std::int16_t>();
    check_integer<std::int32_t>();
    check_integer<std::int64_t>();
}

TEST_CASE("every set of instructions gives the same unsigned integers") {
    check_integer<std::uint8_t>();
    check_integer<std::uint16_t>();
    check_integer<std::uint32_t>();
    check_integer<std::uint64_t>();
}

TEST_CASE("integers of one size and sign share their kernels") {
    using tutti::make_reducer;
    CHECK(make_reducer<std::int32_t>(tutti::sum).combine_many == make_reducer<signed>(tutti::sum).combine_many);
    CHECK(make_reducer<long long>(tutti::sum).combine_many == make_reducer<std::int64_t>(tutti::sum).combine_many);
    CHECK(make_reducer<bool>(tutti::minimum).combine_many == make_reducer<char8_t>(tutti::minimum).combine_many);
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/allreduce.hpp>

#include "collectives/elements.hpp"
#include "support/catch.hpp"

using namespace tutti::test;

namespace {

template <class T>
void check_bits(communicator& world) {
    check<T>(world, tutti::bitwise_and);
    check<T>(world, tutti::bitwise_or);
    check<T>(world, tutti::bitwise_xor);
    check<T>(world, tutti::minimum);
    check<T>(world, tutti::maximum);
}
template <class... T>
void check_numbers(communicator& world) {
    (check_bits<T>(world), ...);
    (check<T>(world, tutti::sum), ...);
    (check<T>(world, tutti::product), ...);
}

} // namespace

TEST_CASE("integers of every size take every operator") {
    run_world(5, check_numbers<signed char, short, int, long, long long>);
    run_world(5, check_numbers<unsigned char, unsigned short, unsigned, unsigned long, unsigned long long>);
}
TEST_CASE("characters take every operator") { run_world(5, check_numbers<char, wchar_t, char8_t, char16_t, char32_t>); }
TEST_CASE("bool takes those that make sense for it") { run_world(5, check_bits<bool>); }

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <base/any_duration.hpp>

#include "support/catch.hpp"

#include <chrono>
#include <limits>

namespace {

using namespace std::chrono;
using tutti::any_duration;

TEST_CASE("a duration of any unit is the same in nanoseconds, if these can tell it") {
    CHECK(any_duration(seconds(3)) == nanoseconds(3'000'000'000));
    CHECK(any_duration(hours(-2)) == hours(-2));
    CHECK(any_duration(nanoseconds::max() - nanoseconds(1)) == nanoseconds::max() - nanoseconds(1));
    CHECK(any_duration(seconds(9'223'372'036)) == seconds(9'223'372'036)); // the last one
    CHECK(any_duration(duration<double>(0.25)) == milliseconds(250));
    CHECK(any_duration(duration<double, std::pico>(1999)) == nanoseconds(1));
}

TEST_CASE("one that is longer is the longest, and one that is no number is below nothing") {
    CHECK(any_duration(hours::max()) == nanoseconds::max());
    CHECK(any_duration(seconds::max()) == nanoseconds::max());
    CHECK(any_duration(seconds(9'223'372'037)) == nanoseconds::max());
    CHECK(any_duration(seconds(18'446'744'074)) == nanoseconds::max());
    CHECK(any_duration(milliseconds::max()) == nanoseconds::max());
    CHECK(any_duration(duration<double>(INFINITY)) == nanoseconds::max());
    CHECK(any_duration(hours::min()) == nanoseconds::min());
    CHECK(any_duration(duration<double>(std::numeric_limits<double>::quiet_NaN())) == nanoseconds::min());
}

} // namespace

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/machine.hpp>

#include "support/catch.hpp"

#include <type_traits>

using tutti::model::loggp;
using tutti::model::machine;
using tutti::model::uniform;

namespace {

/// 1 ns a byte up to 100 bytes, 3 up to 1000, then 2.
tutti::model::link in_three_parts() {
    tutti::model::link l;
    l.count = 3;
    const double price[] = {1e-9, 3e-9, 2e-9}, latency[] = {1e-6, 2e-6, 3e-6};
    for (int k = 0; k < 3; ++k) {
        l.ranges[static_cast<std::size_t>(k)].cost.gap_s_per_byte = price[k];
        l.ranges[static_cast<std::size_t>(k)].cost.latency_s = latency[k];
    }
    l.ranges[0].most_bytes = 100;
    l.ranges[1].most_bytes = 1000;
    return l;
}

double gaps_ns(double bytes) { return in_three_parts().sum(bytes, &loggp::gap_s_per_byte) * 1e9; }

} // namespace

TEST_CASE("a message has the latency of the segment that it ends in") {
    const tutti::model::link l = in_three_parts();
    CHECK(l.at(0).latency_s == 1e-6);
    CHECK(l.at(100).latency_s == 1e-6);
    CHECK(l.at(101).latency_s == 2e-6);
    CHECK(l.at(1000).latency_s == 2e-6);
    CHECK(l.at(std::size_t{1} << 40).latency_s == 3e-6);
}

TEST_CASE("each byte costs what the segment asks that it lies in") {
    CHECK(gaps_ns(0) == 0);
    CHECK(gaps_ns(100) == Approx(100));
    CHECK(gaps_ns(101) == Approx(103));
    CHECK(gaps_ns(1000) == Approx(100 + 2700));
    CHECK(gaps_ns(5000) == Approx(100 + 2700 + 8000));
}

TEST_CASE("a link of one segment costs the same for all, and a machine is plain data") {
    const tutti::model::link l = loggp{1e-6, 0, 0, 2e-9};
    CHECK(l.sum(1e6, &loggp::gap_s_per_byte) == Approx(2e-3));
    CHECK(l.at(1).latency_s == l.at(1 << 30).latency_s);
    STATIC_REQUIRE(std::is_trivially_copyable_v<machine>);
    CHECK(uniform(loggp{1e-6}).oversubscription == 1);
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/simulate.hpp>

#include "simulated.hpp"

#include <cstddef>

using namespace tutti;
using namespace tutti::model;
using test::allreduce_of;
using test::near_to;

namespace {

constexpr loggp of_a_cluster{2e-6, 3e-7, 2e-7, 1e-10, 2e-11};
constexpr std::size_t mebibyte = 1 << 20;

simulated on_a_cluster(const collective& c) { return simulate(c, uniform(of_a_cluster)); }

} // namespace

TEST_CASE("65,536 ranks: simulation and closed form agree") {
    constexpr int size = 65'536, log = 16;
    const double n = mebibyte, gamma = of_a_cluster.gamma_s_per_byte;
    const double swap = message_s(of_a_cluster, mebibyte);
    double halves = (n - n / size) * gamma;
    for (int i = 1; i <= log; ++i) halves += 2 * message_s(of_a_cluster, mebibyte >> i);
    const auto finish = [&](const algorithm::any& how) {
        return on_a_cluster(allreduce_of(how, size, mebibyte)).finish_s;
    };
    CHECK(near_to(finish(algorithm::butterfly{}), log * (swap + n * gamma)));
    CHECK(near_to(finish(algorithm::binomial_tree{}), log * (2 * swap + n * gamma)));
    CHECK(near_to(finish(algorithm::halving_doubling{}), halves));
}

TEST_CASE("100,000 ranks: every message of the logarithmic algorithms") {
    constexpr int size = 100'000, core = 65'536, log = 16, extra = size - core;
    const double lower = 2 * message_s(of_a_cluster, 1) * log;
    const auto run = [&](const algorithm::any& how, int segments) {
        const simulated found = on_a_cluster({schedule::operation::allreduce, how, size, mebibyte, 0, segments});
        CHECK_FALSE(found.by_symmetry);
        CHECK(found.rank_finish_s.size() == size);
        CHECK(found.finish_s > lower / 2);
        CHECK(found.finish_s < 0.1);
        return found.messages;
    };
    CHECK(run(algorithm::butterfly{}, 1) == std::size_t{core} * log + 2 * extra);
    CHECK(run(algorithm::halving_doubling{}, 1) == std::size_t{2} * core * log + 2 * extra);
    CHECK(run(algorithm::binomial_tree{}, 1) == std::size_t{2} * (size - 1));
    CHECK(run(algorithm::double_binary_tree{}, 16) == std::size_t{4} * (size - 1) * 16);
}

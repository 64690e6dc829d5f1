// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/fit.hpp>

#include "support/catch.hpp"

#include <collectives/algorithm/all.hpp>

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

namespace algorithm = tutti::algorithm;
using tutti::model::estimate;
using tutti::model::fitted;
using tutti::model::knowledge;
using tutti::model::loggp;
using tutti::model::machine;
using tutti::model::sample;

namespace {

/// What samples are made from: near, but not at, what the fit begins with.
machine known_machine() {
    machine m = tutti::model::uniform(loggp{0.4e-6, 1.3e-6, 0, 0, 2e-10, 1.5e-10, 3e-10});
    m.near.count = 2;
    m.near.ranges[0].most_bytes = 65536;
    m.near.ranges[1].cost = {0.4e-6, 1.3e-6, 0, 0, 4e-10, 3e-10, 6e-10};
    m.call_s = 0.7e-6;
    m.cache_bytes = 6e6;
    m.miss_s_per_byte = 5e-10;
    m.far = m.near;
    return m;
}

machine first_guess() {
    machine m = known_machine();
    for (auto& s : m.near.ranges) s.cost = {0.5e-6, 1e-6, 0, 0, 1e-10, 1e-10, 1e-10};
    m.call_s = 1e-6;
    m.cache_bytes = 16e6;
    m.miss_s_per_byte = 1e-10;
    return m;
}

std::vector<sample> samples_of(const machine& m, std::size_t most, double noise) {
    std::mt19937_64 random(11);
    std::vector<sample> all;
    for (const algorithm::any& how :
         {algorithm::any(algorithm::naive{}), algorithm::any(algorithm::ring{}), algorithm::any(algorithm::butterfly{}),
          algorithm::any(algorithm::one_shot{}), algorithm::any(algorithm::binomial_tree{})})
        for (const int size : {2, 4})
            for (std::size_t bytes = 8; bytes <= most; bytes *= 4) {
                const tutti::model::collective c{
                    tutti::schedule::operation::allreduce, how, size, bytes, 0, 1, true, 4};
                const double off = static_cast<double>(random() % 2001) / 1000 - 1; // evenly from -1 to 1
                all.push_back({c, simulate(c, m, size).finish_s * (1 + noise * off), 0});
            }
    return all;
}

fitted fit_from_first_guess(const std::vector<sample>& samples) {
    const machine start = first_guess();
    return tutti::model::fit(samples, start, tutti::model::parameters_of(start, 4));
}

/// How far the worst of the parameters is from the known machine's, relative to that.
double worst_error(const fitted& f) {
    double worst = 0;
    for (const estimate& e : f.parameters) {
        UNSCOPED_INFO(e.what.name << " " << e.value << " instead of " << e.what.value(known_machine()));
        CHECK(e.known == knowledge::found);
        worst = std::max(worst, std::abs(e.value / e.what.value(known_machine()) - 1));
    }
    return worst;
}

std::vector<std::string_view> not_identified(const fitted& f) {
    std::vector<std::string_view> names;
    for (const estimate& e : f.parameters)
        if (e.known == knowledge::unknown) names.push_back(e.what.name);
    return names;
}

constexpr std::size_t beyond_caches = std::size_t{16} << 20;

} // namespace

TEST_CASE("a fit finds the machine that the samples come from") {
    const fitted f = fit_from_first_guess(samples_of(known_machine(), beyond_caches, 0));
    CHECK(worst_error(f) < 0.02);
    CHECK(f.found.far == f.found.near);
}

TEST_CASE("a fit finds what many senders to one rank cost, and does not find it where they cost nothing") {
    for (const double epsilon : {3e-10, 0.}) {
        machine m = known_machine(), start = first_guess();
        m.fan_in = {1, epsilon};
        start.fan_in = {1, 1e-12};
        const auto parameters = tutti::model::parameters_of(start, 4);
        const fitted f = tutti::model::fit(samples_of(m, beyond_caches, 0.01), start, parameters);
        CAPTURE(epsilon, f.found.fan_in.epsilon_s_per_byte);
        if (epsilon > 0) CHECK(f.found.fan_in.epsilon_s_per_byte == Approx(epsilon).epsilon(0.1));
        if (epsilon == 0) CHECK(f.found.fan_in.epsilon_s_per_byte < 1e-11);
    }
    CHECK(tutti::model::parameters_of(first_guess(), 4).size() == 11); // its fan-in costs nothing: none is looked for
}

TEST_CASE("noise moves a fit by a few of its percents, and the spread that it tells says so") {
    const auto samples = samples_of(known_machine(), beyond_caches, 0.03);
    const fitted f = fit_from_first_guess(samples);
    CHECK(worst_error(f) < 0.15);
    for (const estimate& e : f.parameters) {
        INFO(e.what.name << " +- " << e.spread);
        CHECK(e.spread > 0.001);
        CHECK(std::abs(std::log(e.value / e.what.value(known_machine()))) < 4 * e.spread);
    }
    REQUIRE(f.predicted_s.size() == samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
        CHECK(f.predicted_s[i] == Approx(samples[i].seconds).epsilon(0.06));
}

TEST_CASE("no price of a fit is negative, though messages be there before their senders are done with them") {
    machine early = known_machine();
    for (auto& s : early.near.ranges) s.cost.latency_s = -0.8e-6; // o is 1.3 us
    early.far = early.near;
    const auto samples = samples_of(early, 65536, 0.02);
    const fitted f = fit_from_first_guess(samples);
    for (const auto& s : f.found.near.ranges) {
        CHECK(s.cost.latency_s >= 0);
        CHECK(s.cost.overhead_s > 0);
    }
    for (std::size_t i = 0; i < samples.size(); ++i) CHECK(std::abs(f.predicted_s[i] / samples[i].seconds - 1) < 0.5);
}

TEST_CASE("samples that are far off hardly move a fit") {
    auto samples = samples_of(known_machine(), beyond_caches, 0);
    for (std::size_t i = 0; i < samples.size(); i += 9) samples[i].seconds *= 10;
    CHECK(worst_error(fit_from_first_guess(samples)) < 0.1);
}

TEST_CASE("samples that scatter count less") {
    auto samples = samples_of(known_machine(), beyond_caches, 0);
    for (std::size_t i = 0; i < samples.size(); i += 3) {
        samples[i].seconds *= 1.3;
        samples[i].spread = 3;
    }
    CHECK(worst_error(fit_from_first_guess(samples)) < 0.03);
}

TEST_CASE("what the samples do not identify stays as it was assumed, and is named") {
    const fitted f = fit_from_first_guess(samples_of(known_machine(), 4096, 0.01));
    const auto names = not_identified(f);
    for (const std::string_view name : {"cache_bytes", "miss_s_per_byte"})
        CHECK(std::find(names.begin(), names.end(), name) != names.end());
    CHECK(f.found.cache_bytes == first_guess().cache_bytes);
    CHECK(f.found.near.ranges[1].cost.gamma_s_per_byte == first_guess().near.ranges[1].cost.gamma_s_per_byte);
    CHECK(f.found.near.ranges[0].cost.overhead_s == Approx(1.3e-6).epsilon(0.2));
}

TEST_CASE("the same samples give the same machine, to the last bit") {
    const auto samples = samples_of(known_machine(), 32768, 0.02);
    CHECK(fit_from_first_guess(samples).found == fit_from_first_guess(samples).found);
}

TEST_CASE("a sample of no time, and a parameter that begins at 0, are refused") {
    auto samples = samples_of(known_machine(), 64, 0);
    machine start = first_guess();
    start.call_s = 0;
    CHECK_THROWS_AS(tutti::model::fit(samples, start, tutti::model::parameters_of(start, 4)), tutti::error);
    samples.front().seconds = 0;
    CHECK_THROWS_AS(fit_from_first_guess(samples), tutti::error);
}

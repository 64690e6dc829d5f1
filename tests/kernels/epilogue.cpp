// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "kernels/epilogue.hpp"

#include "host_launch.hpp"
#include "kernels/optimizer.hpp"

#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tutti;
using namespace tutti::kernels;

namespace {

template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<T> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(static_cast<T>(std::ldexp(static_cast<float>(random() % 2001) - 1000, -10)));
    return all;
}

template <class T, class Epilogue>
reduction<T, sum_operator, Epilogue> sum_of(const std::vector<std::vector<T>>& from, const Epilogue& last) {
    reduction<T, sum_operator, Epilogue> what;
    for (const auto& source : from) what.from[what.sources++] = source.data();
    what.count = from[0].size();
    what.last = last;
    return what;
}

/// Weights and state of an optimizer, and what it is compared with: PyTorch's formula in double.
struct trained {
    std::vector<float> weights = numbers<float>(1001, 1), first, second;
    std::vector<bfloat16> copy = std::vector<bfloat16>(1001, bfloat16(99.0F));
    std::vector<double> exact = std::vector<double>(weights.begin(), weights.end()), m, v;
    trained() : first(1001), second(1001), m(1001), v(1001) {}

    void expect_near(double tolerance) const {
        for (std::size_t i = 0; i < weights.size(); ++i) {
            INFO("element " << i << ": " << weights[i] << ", in double " << exact[i]);
            REQUIRE(std::abs(weights[i] - exact[i]) <= tolerance);
            REQUIRE(copy[i].bits == bfloat16(weights[i]).bits);
        }
    }
};

const std::vector<std::vector<bfloat16>> gradients{numbers<bfloat16>(1001, 2), numbers<bfloat16>(1001, 3)};
double mean_gradient(std::size_t i) { return (double{float(gradients[0][i])} + float(gradients[1][i])) / 2; }

} // namespace

TEST_CASE("a total goes to every destination, converted once") {
    const std::vector from{numbers<float>(77, 1), numbers<float>(77, 2), numbers<float>(77, 3)};
    std::array<std::vector<float16>, 3> to;
    stored<float16> last;
    last.number = 3;
    for (unsigned d = 0; d < 3; ++d) last.to[d] = (to[d] = std::vector<float16>(77, float16(-1.0F))).data();
    test::launch_on_host(sum_of(from, last), {2, 3});
    for (std::size_t i = 0; i < 77; ++i) {
        const float16 expected((from[0][i] + from[1][i]) + from[2][i]);
        for (const auto& one : to) CHECK(one[i].bits == expected.bits);
    }
}

TEST_CASE("an average multiplies the total in float, and a NaN stays the one NaN") {
    std::vector from{numbers<bfloat16>(50, 1), numbers<bfloat16>(50, 2), numbers<bfloat16>(50, 3)};
    from[1][7] = bfloat16(-std::numeric_limits<float>::quiet_NaN());
    std::vector<bfloat16> to(50);
    const float third = 1.0F / 3, factor = third;
    test::launch_on_host(sum_of(from, scaled<float, stored<bfloat16>>{third, {{to.data()}, 1}}), {1, 2});
    std::vector<float> wide(50);
    test::launch_on_host(sum_of(from, scaled_by<float, stored<float>>{&factor, {{wide.data()}, 1}}), {1, 2});
    for (std::size_t i = 0; i < 50; ++i) {
        const float total = (float(from[0][i]) + float(from[1][i])) + float(from[2][i]);
        CHECK(to[i].bits == bfloat16(total * third).bits);
        CHECK((i == 7 || wide[i] == total * third));
    }
    CHECK(to[7].bits == 0x7fc0);
    CHECK(__builtin_bit_cast(std::uint32_t, wide[7]) == 0x7fc00000U);
}

TEST_CASE("averaged gradients of 16 bits update weights and their copy in the same pass: sgd") {
    trained t;
    const scaled<float, sgd<stored<bfloat16>>> last{0.5F, {t.weights.data(), 0.1F, 0.01F, {{t.copy.data()}, 1}}};
    CHECK(test::launch_on_host(sum_of(gradients, last), {3, 4}).lanes == 8);
    for (std::size_t i = 0; i < t.exact.size(); ++i) t.exact[i] -= 0.1 * (mean_gradient(i) + 0.01 * t.exact[i]);
    t.expect_near(1e-6);
}

TEST_CASE("momentum gathers gradients over steps") {
    trained t;
    const scaled<float, momentum_sgd<stored<bfloat16>>> last{
        0.5F, {t.weights.data(), t.first.data(), 0.1F, 0.9F, 0.01F, {{t.copy.data()}, 1}}};
    for (int step = 0; step < 5; ++step) {
        test::launch_on_host(sum_of(gradients, last), {2, 4});
        for (std::size_t i = 0; i < t.exact.size(); ++i) {
            t.m[i] = 0.9 * t.m[i] + mean_gradient(i) + 0.01 * t.exact[i];
            t.exact[i] -= 0.1 * t.m[i];
        }
    }
    t.expect_near(1e-5);
}

TEST_CASE("adam decays the gradient, adamw the weight; both follow PyTorch's formulas") {
    const bool decoupled = GENERATE(false, true);
    const adam_settings s{.rate = 0.01, .decay = 0.1, .decoupled = decoupled};
    trained t;
    for (int step = 1; step <= 6; ++step) {
        const scaled<float, adam<stored<bfloat16>>> last{
            0.5F, {t.weights.data(), t.first.data(), t.second.data(), step_of(s, step), {{t.copy.data()}, 1}}};
        test::launch_on_host(sum_of(gradients, last), {2, 3});
        for (std::size_t i = 0; i < t.exact.size(); ++i) {
            const double g = mean_gradient(i) + (decoupled ? 0 : s.decay * t.exact[i]);
            if (decoupled) t.exact[i] *= 1 - s.rate * s.decay;
            t.m[i] = s.beta1 * t.m[i] + (1 - s.beta1) * g;
            t.v[i] = s.beta2 * t.v[i] + (1 - s.beta2) * g * g;
            const double root = std::sqrt(t.v[i]) / std::sqrt(1 - std::pow(s.beta2, step)) + s.epsilon;
            t.exact[i] -= s.rate / (1 - std::pow(s.beta1, step)) * t.m[i] / root;
        }
    }
    t.expect_near(1e-4); // where a gradient is nearly none, so is its root
}

TEST_CASE("an update has the same bits whatever the width of access") {
    trained wide, narrow;
    std::vector<float> shifted(narrow.weights.size() + 1);
    std::copy(narrow.weights.begin(), narrow.weights.end(), shifted.begin() + 1);
    const adam_step step = step_of({}, 1);
    using last_of = adam<stored<bfloat16>>;
    const auto update = [&](trained& t, float* weights) {
        const last_of last{weights, t.first.data(), t.second.data(), step, {{t.copy.data()}, 1}};
        return test::launch_on_host(sum_of(gradients, last), {2, 3}).lanes;
    };
    CHECK(update(wide, wide.weights.data()) == 8);
    CHECK(update(narrow, shifted.data() + 1) == 1);
    CHECK(test::same_bits(wide.weights, {shifted.begin() + 1, shifted.end()}));
    CHECK(test::same_bits(wide.first, narrow.first));
    CHECK(test::same_bits(wide.second, narrow.second));
    CHECK(test::same_bits(wide.copy, narrow.copy));
}

TEST_CASE("a misaligned array of an epilogue is refused by its name") {
    trained t;
    auto* const odd = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(t.first.data()) + 2);
    const momentum_sgd<> last{t.weights.data(), odd, 0.1F, 0.9F, 0, {}};
    CHECK_THROWS_WITH(access_of(sum_of(gradients, last)), Catch::Contains("a velocity is not aligned"));
}

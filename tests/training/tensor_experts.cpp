// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/tensor/experts/exchange.hpp>

#include <training/tensor/experts/balance.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <random>

namespace tutti::test::experts_of_ranks {
namespace {

namespace mixture = training::tensor::experts;
using reals = std::vector<double>;
constexpr std::size_t width = 3, experts = 4, tokens = 8; // of all ranks

reals drawn(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    reals all(count);
    for (double& v : all) v = static_cast<double>(random()) / 0x1p31 - 1;
    return all;
}

/// Expert e makes (e + 1) x + x^2 of a number x.
double made(std::size_t e, double x) { return static_cast<double>(e + 1) * x + x * x; }
double slope_of(std::size_t e, double x) { return static_cast<double>(e + 1) + 2 * x; }

std::span<const double> own(const communicator& ranks, const reals& all) {
    const std::size_t count = all.size() / static_cast<std::size_t>(ranks.size());
    return std::span(all).subspan(count * static_cast<std::size_t>(ranks.rank()), count);
}

struct passed {
    reals output, by_token, by_logit;
};

/// Forward and backward over ranks, for a loss that weighs the outputs and has some of the balance in it.
passed over(const communicator& ranks, const mixture::gate& g, const reals& x, const reals& logits,
            const reals& weighed) {
    const auto r = mixture::route(g, own(ranks, logits));
    const auto balanced = mixture::load_balance(ranks, r);
    mixture::exchange<communicator, double> carried(ranks, r, width);
    const reals rows = carried.dispatch(own(ranks, x));
    reals out(rows.size()), factors(rows.size());
    std::size_t at = 0, expert = static_cast<std::size_t>(ranks.rank()) * carried.rows().size();
    for (const std::size_t count : carried.rows()) {
        for (const std::size_t end = at + count * width; at < end; ++at)
            out[at] = made(expert, rows[at]), factors[at] = slope_of(expert, rows[at]);
        ++expert;
    }
    passed result{carried.combine(out), {}, reals(own(ranks, logits).size())};
    auto back = carried.combine_backward(own(ranks, weighed));
    for (std::size_t i = 0; i < factors.size(); ++i) back.by_rows[i] *= factors[i];
    result.by_token = carried.dispatch_backward(back.by_rows);
    mixture::route_backward<double>(r, back.by_weight, balanced.by_probability, result.by_logit);
    return result;
}

/// The serial network: a loop over tokens.
reals serial_output(const mixture::gate& g, const reals& x, const reals& logits) {
    const auto r = mixture::route(g, std::span(logits));
    reals y(x.size());
    for (std::size_t i = 0; i < r.expert.size(); ++i)
        for (std::size_t j = 0; j < width; ++j) {
            const std::size_t at = i / g.choices * width + j;
            y[at] += r.weight[i] * made(r.expert[i], x[at]);
        }
    return y;
}
double serial_loss(const mixture::gate& g, const reals& x, const reals& logits, const reals& weighed) {
    const reals y = serial_output(g, x, logits);
    double loss = std::inner_product(y.begin(), y.end(), weighed.begin(), 0.0);
    reals share(experts), mean(experts);
    const auto r = mixture::route(g, std::span(logits));
    for (std::size_t t = 0; t < tokens; ++t) {
        share[r.expert[t * g.choices]] += 1.0 / tokens;
        for (std::size_t e = 0; e < experts; ++e) mean[e] += r.probabilities[t * experts + e] / tokens;
    }
    for (std::size_t e = 0; e < experts; ++e) loss += experts * share[e] * mean[e];
    return loss;
}

void expect_close(std::span<const double> tried, std::span<const double> wanted, double within,
                  const std::string& what) {
    expect(tried.size() == wanted.size(), what + ": as many");
    for (std::size_t i = 0; i < tried.size(); ++i)
        expect(std::abs(tried[i] - wanted[i]) < within, what + " " + std::to_string(i));
}

} // namespace

TEST_CASE("experts over ranks give what the serial network gives, and its slopes") {
    for (const std::size_t choices : {1U, 2U}) {
        const mixture::gate g{experts, choices};
        reals x = drawn(tokens * width, 1), logits = drawn(tokens * experts, 2);
        const reals weighed = drawn(tokens * width, 3), y = serial_output(g, x, logits);
        const auto slopes = [&](reals& of) {
            reals all;
            for (double& v : of) {
                const double before = v;
                v = before + 1e-5;
                const double above = serial_loss(g, x, logits, weighed);
                v = before - 1e-5;
                all.push_back((above - serial_loss(g, x, logits, weighed)) / 2e-5);
                v = before;
            }
            return all;
        };
        const reals by_x = slopes(x), by_logits = slopes(logits);
        for (const int size : {1, 2, 4})
            run_world(size, [&](const communicator& ranks) {
                const passed got = over(ranks, g, x, logits, weighed);
                expect_close(got.output, own(ranks, y), 1e-12, "output");
                expect_close(got.by_token, own(ranks, by_x), 1e-7, "gradient by a token");
                expect_close(got.by_logit, own(ranks, by_logits), 1e-7, "gradient by a logit");
            });
    }
}

TEST_CASE("beyond its capacity an expert drops the last tokens, second choices first") {
    const std::vector<double> logits{3, 2, 0, 3, 2, 0, 2, 3, 0}; // three tokens, three experts
    const auto r = mixture::route(mixture::gate{3, 2, 2}, std::span(logits));
    CHECK(r.expert == std::vector<std::size_t>{0, 1, 0, 1, 1, 0});
    CHECK(r.slot == std::vector<std::size_t>{0, 1, 1, r.dropped, 0, r.dropped});
    CHECK(r.counts == std::vector<std::size_t>{2, 2, 0});
    CHECK(mixture::capacity(3, {3, 2}, 1.25) == 3);
    run_world(1, [&](const communicator& ranks) {
        mixture::exchange<communicator, double> carried(ranks,
                                                        mixture::route(mixture::gate{3, 1, 1}, std::span(logits)), 1);
        expect(carried.dispatch(reals{5, 6, 7}) == reals{5, 7}, "the second token is dropped");
        expect(has(fault_of([&] {
                       static_cast<void>(carried.combine_backward(reals{1, 1, 1}));
                   }).detail,
                   "2 numbers"),
               "nothing is combined yet");
        expect(carried.combine(reals{1, 1})[1] == 0, "and comes to 0");
        expect(carried.combine_backward(reals{1, 1, 1}).by_weight[1] == 0, "with no gradient");
    });
}

TEST_CASE("gates and exchanges that cannot be are refused") {
    CHECK(has(fault_of([] { mixture::gate{1, 2}.examine(); }).detail, "1 or 2"));
    run_world(3, [](const communicator& ranks) {
        const auto r = mixture::route(mixture::gate{4}, std::span<const double>());
        const auto f = fault_of([&] { mixture::exchange<communicator, double>(ranks, r, 1); });
        expect(has(f.detail, "no equal parts"), f.detail);
    });
}

} // namespace tutti::test::experts_of_ranks

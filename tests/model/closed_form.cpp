// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/closed_form.hpp>

#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"

#include <string>

using namespace tutti::algorithm;
using tutti::model::closed_form;
using tutti::model::closed_form_s;
using tutti::model::collective;
using tutti::model::hockney;
using tutti::model::loggp;
using tutti::schedule::operation;

namespace {

collective priced_allreduce(const any& how, int size, std::size_t bytes) {
    return {operation::allreduce, how, size, bytes};
}

/// In nanoseconds.
double logp_ns(const any& how, int size, std::size_t bytes) {
    return closed_form_s(priced_allreduce(how, size, bytes), loggp{1000, 0, 0, 1, 0}).value();
}

/// An algorithm that the model does not know.
struct foreign {
    static constexpr std::string_view name = "foreign";
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }
    [[nodiscard]] static constexpr cost stated(operation, int) noexcept { return {}; }
    template <class Put>
    static constexpr void broadcast(const position& p, Put&& put) {
        naive::broadcast(p, put);
    }
};

} // namespace

TEST_CASE("under LogGP, 8 KiB among 8 ranks take what LogGOPSim finds") {
    CHECK(logp_ns(ring{}, 8, 8192) == Approx(28322).epsilon(1e-12));
    CHECK(logp_ns(butterfly{}, 8, 8192) == Approx(27573).epsilon(1e-12));
    CHECK(logp_ns(halving_doubling{}, 8, 8192) == Approx(20330).epsilon(1e-12));
    CHECK(logp_ns(binomial_tree{}, 8, 8192) == Approx(55146).epsilon(1e-12));
    CHECK(logp_ns(naive{}, 8, 8192) == Approx(116674).epsilon(1e-12));
    for (const any& a : {any(ring{}), any(butterfly{}), any(halving_doubling{}), any(binomial_tree{}), any(naive{})})
        CHECK(closed_form(priced_allreduce(a, 8, 8192), loggp{1000, 0, 0, 1, 0})->exact);
}

TEST_CASE("under Hockney's model, a server of shards pays latency for each message, as a ring does") {
    const hockney p{10e-6, 0.1e-9, 0};
    const auto ms = [&](const any& how, std::size_t bytes) {
        return 1e3 * closed_form_s(priced_allreduce(how, 1024, bytes), p).value();
    };
    CHECK(ms(ring{}, 1024) == Approx(20.5).margin(0.05));
    CHECK(ms(halving_doubling{}, 1024) == Approx(0.2).margin(0.0005));
    CHECK(ms(parameter_server{}, 1024) == Approx(ms(ring{}, 1024)));
    constexpr std::size_t much = std::size_t{256} << 20;
    CHECK(ms(ring{}, much) == Approx(74.1).margin(0.05));
    CHECK(ms(halving_doubling{}, much) == Approx(53.8).margin(0.1));
    CHECK(ms(parameter_server{}, much) == Approx(ms(ring{}, much)));
    CHECK(ms(naive{}, much) == Approx(1023.0 * 1024 / 1023 * (ms(ring{}, much) - ms(ring{}, 0)) + ms(ring{}, 0)));
}

TEST_CASE("each level of a hierarchy has its own prices") {
    const hockney near{1e-6, 0.1e-9, 0.05e-9}, far{10e-6, 0.4e-9, 0.05e-9};
    const int g = 4, nodes = 6;
    const double n = 240'000, shard = n / g, piece = n / g / nodes;
    const auto f = closed_form(priced_allreduce(hierarchical<ring, ring>{g}, g * nodes, 240'000), near, far);
    REQUIRE(f.has_value());
    CHECK(f->exact);
    CHECK(f->seconds == Approx(2 * (g - 1) * (1e-6 + shard * 0.1e-9) + 2 * (nodes - 1) * (10e-6 + piece * 0.4e-9) +
                               (g * nodes - 1) * piece * 0.05e-9)
                            .epsilon(1e-12));
    CHECK_FALSE(closed_form(priced_allreduce(ring{}, 24, 240'000), near, far).has_value());
}

TEST_CASE("there is no form for what an algorithm does not offer, nor for one that nobody knows") {
    CHECK_FALSE(closed_form({operation::broadcast, ring{}, 4, 100}, hockney{}).has_value());
    CHECK_FALSE(closed_form_s({operation::allgather, naive{}, 4, 100}, loggp{}).has_value());
    CHECK_FALSE(closed_form({operation::broadcast, foreign{}, 4, 100}, hockney{}).has_value());
    for (const int g : {1, 3})
        for (const auto& a : all(g))
            for (const operation o : tutti::schedule::operations) {
                CAPTURE(std::string(a.name()), std::string(name_of(o)));
                CHECK(closed_form({o, a, 10, 100}, hockney{}).has_value() == a.offers(o));
                CHECK(closed_form({o, a, 10, 100}, loggp{}).has_value() == a.offers(o));
            }
    for (const auto& a : compositions(3)) CHECK(closed_form_s(priced_allreduce(a, 10, 100), loggp{}).has_value());
}

TEST_CASE("one rank takes no time") {
    for (const auto& a : all())
        if (a.offers(operation::allreduce)) {
            CHECK(closed_form(priced_allreduce(a, 1, 100), hockney{1, 1, 1})->seconds == 0);
            CHECK(closed_form(priced_allreduce(a, 1, 100), loggp{1, 1, 1, 1, 1})->seconds == 0);
        }
}

TEST_CASE("more than one segment, and processors that copy, are estimated, and cost more") {
    const auto ring_of = [](int segments, const loggp& p) {
        collective c = priced_allreduce(ring{}, 8, 8000);
        c.segments = segments;
        return *closed_form(c, p);
    };
    const loggp plain{1000, 100, 50, 1, 0}, copying{1000, 100, 50, 1, 0, 2};
    CHECK(ring_of(1, plain).exact);
    CHECK_FALSE(ring_of(4, plain).exact);
    CHECK(ring_of(4, plain).seconds > ring_of(1, plain).seconds);
    CHECK_FALSE(ring_of(1, copying).exact);
    CHECK(ring_of(1, copying).seconds > ring_of(1, plain).seconds);
}

TEST_CASE("a gap that outlasts a message's way keeps an answer waiting, which no form knows") {
    CHECK(closed_form(priced_allreduce(ring{}, 8, 8000), loggp{100, 10, 120, 1, 0})->exact);
    CHECK_FALSE(closed_form(priced_allreduce(ring{}, 8, 8000), loggp{100, 10, 121, 1, 0})->exact);
}

TEST_CASE("100,000 ranks take no longer to price than two") {
    CHECK(closed_form_s(priced_allreduce(ring{}, 100'000, 400'000'000), hockney{1e-5, 1e-10, 0}).value() ==
          Approx(2 * 99'999 * (1e-5 + 4000 * 1e-10)));
    CHECK(closed_form(priced_allreduce(butterfly{}, 100'000, 8), hockney{1, 0, 0})->seconds == 18);
    CHECK(closed_form(priced_allreduce(binomial_tree{}, 100'000, 8), hockney{1, 0, 0})->seconds == 34);
}

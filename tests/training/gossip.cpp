// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/gossip/mixer.hpp>

#include <training/gossip/mixing_matrix.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <cmath>
#include <numbers>

namespace tutti::test::neighbours {
namespace {

namespace gossip = training::gossip;
using floats = std::vector<float>;

void for_graphs(const auto& act) {
    act(gossip::ring{}, "ring");
    act(gossip::torus{}, "torus");
    act(gossip::exponential{}, "exponential");
    act(gossip::one_peer_exponential{}, "one peer");
}

floats vector_of(int rank) {
    floats x(5);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((rank * 7 + static_cast<int>(i) * 3) % 10);
    return x;
}
/// The vectors of all ranks after some rounds, by products with the matrix.
std::vector<std::vector<double>> serial(const auto& graph, int size, std::size_t rounds) {
    std::vector<std::vector<double>> all;
    for (int r = 0; r < size; ++r) {
        const floats x = vector_of(r);
        all.emplace_back(x.begin(), x.end());
    }
    for (std::size_t k = 0; k < rounds; ++k) {
        const auto m = gossip::matrix_of(graph, size, k);
        auto next = all;
        for (int i = 0; i < size; ++i)
            for (std::size_t e = 0; e < all[0].size(); ++e) {
                double sum = 0;
                for (int j = 0; j < size; ++j) sum += m.at(i, j) * all[static_cast<std::size_t>(j)][e];
                next[static_cast<std::size_t>(i)][e] = sum;
            }
        all = next;
    }
    return all;
}

} // namespace

TEST_CASE("each graph is doubly stochastic and connected, and both ends of a message agree") {
    for_graphs([](const auto& graph, const char* name) {
        for (int size = 1; size <= 20; ++size) {
            INFO(name << " of " << size);
            for (std::size_t round = 0; round < graph.period(size); ++round) {
                const auto m = gossip::matrix_of(graph, size, round);
                CHECK(gossip::is_doubly_stochastic(m));
                for (int i = 0; i < size; ++i)
                    for (const int to : gossip::outgoing(graph, i, size, round)) CHECK(m.at(to, i) > 0);
            }
            const auto period = gossip::matrix_of_period(graph, size);
            CHECK(gossip::is_doubly_stochastic(period));
            CHECK(gossip::spectral_gap(period) > 0.01);
        }
    });
}

TEST_CASE("contractions are those of the closed forms") {
    const auto cosine = [](int parts) { return std::cos(2 * std::numbers::pi / parts); };
    for (const int size : {3, 4, 8, 15}) {
        const double found = gossip::contraction(gossip::matrix_of(gossip::ring{}, size));
        CHECK(std::abs(found - std::abs(1 + 2 * cosine(size)) / 3) < 1e-6);
    }
    CHECK(std::abs(gossip::contraction(gossip::matrix_of(gossip::torus{}, 24)) - (1 + 2 * cosine(6) + 2) / 5) < 1e-6);
    for (const int size : {4, 6, 8, 16, 18}) { // an even number of ranks
        const double distances = std::ceil(std::log2(size));
        const double found = gossip::contraction(gossip::matrix_of(gossip::exponential{}, size));
        CHECK(std::abs(found - (distances - 1) / (distances + 1)) < 1e-6);
    }
    CHECK(gossip::contraction(gossip::matrix_of_period(gossip::one_peer_exponential{}, 16)) < 1e-6);
    CHECK(gossip::torus::rows(24) == 4);
    CHECK(gossip::torus::rows(7) == 1);
}

TEST_CASE("ranks mix as the matrix says, and come together at least as fast as it contracts") {
    for (int size = 1; size <= 9; ++size)
        run_world(size, [size](const communicator& ranks) {
            for_graphs([&](const auto& graph, const std::string& name) {
                gossip::mixer mixer(ranks, graph);
                floats x = vector_of(ranks.rank());
                double distance = gossip::consensus_distance(ranks, x);
                for (std::size_t round = 0; round < 6; ++round) {
                    const double factor = gossip::contraction(gossip::matrix_of(graph, size, round));
                    mixer.mix(x);
                    const double now = gossip::consensus_distance(ranks, x);
                    expect(now <= factor * distance + 1e-5, name + ": the contraction");
                    distance = now;
                }
                const auto wanted = serial(graph, size, 6)[static_cast<std::size_t>(ranks.rank())];
                for (std::size_t i = 0; i < x.size(); ++i)
                    expect(std::abs(x[i] - wanted[i]) < 1e-5, name + ": the product with the matrix");
                expect(mixer.rounds() == 6, "rounds");
            });
        });
}

TEST_CASE("the slowest wave on a ring shrinks by its contraction in each round") {
    run_world(8, [](const communicator& ranks) {
        floats x{static_cast<float>(std::cos(2 * std::numbers::pi * ranks.rank() / 8))};
        gossip::mixer mixer(ranks, gossip::ring{});
        const double factor = gossip::contraction(gossip::matrix_of(gossip::ring{}, 8));
        double distance = gossip::consensus_distance(ranks, x);
        expect(std::abs(distance - std::sqrt(0.5)) < 1e-6, "the root of the mean square of a cosine");
        for (int round = 0; round < 10; ++round) {
            mixer.mix(x);
            const double now = gossip::consensus_distance(ranks, x);
            expect(std::abs(now / distance - factor) < 1e-4, "measured and computed");
            distance = now;
        }
    });
}

TEST_CASE("descent with neighbours comes to the best weights of all ranks, while they travel beside the gradient") {
    run_world(6, [](const communicator& ranks) {
        gossip::mixer mixer(ranks, gossip::torus{});
        const auto point = static_cast<float>(ranks.rank()); // the mean of all is 2.5
        floats w(1);
        for (int step = 0; step < 400; ++step) {
            mixer.start(w);
            const float gradient = w[0] - point;
            mixer.finish(w);
            w[0] -= 0.2F / (1 + 0.1F * static_cast<float>(step)) * gradient;
        }
        expect(std::abs(w[0] - 2.5F) < 0.05F, std::to_string(w[0]));
        expect(has(fault_of([&] { mixer.finish(w); }).detail, "no round"), "none is under way");
        mixer.start(w);
        expect(has(fault_of([&] { mixer.start(w); }).detail, "under way"), "one is under way");
        mixer.finish(w);
    });
}

} // namespace tutti::test::neighbours

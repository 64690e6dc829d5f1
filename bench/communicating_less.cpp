// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What trainers that communicate less send, and what they reach: logistic regression on ranks that are threads, over
// memory. Each rank has samples of its own. All ways make the same number of steps at the same learning rate. Losses
// are those of all ranks' samples, by the average of all ranks' weights. Everything is drawn from seeds: the tables are
// the same each time. The second table has the spectral gaps of graphs, and what is measured on as many ranks.
//
// usage: communicating_less [RANKS [STEPS]]    8 ranks and 400 steps if not given

#include <collectives/collectives.hpp>
#include <training/compressed/error_feedback.hpp>
#include <training/compressed/power_sgd.hpp>
#include <training/compressed/qsgd.hpp>
#include <training/compressed/random_k.hpp>
#include <training/compressed/sign_majority.hpp>
#include <training/compressed/top_k.hpp>
#include <training/gossip/mixer.hpp>
#include <training/gossip/mixing_matrix.hpp>
#include <training/local_sgd.hpp>
#include <transport/memory.hpp>

#include "../tests/support/run_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace {

using namespace tutti;
namespace compressed = training::compressed;
namespace gossip = training::gossip;
using world = communicator<transport::memory>;
using floats = std::vector<float>;
using compressed::draws;
using compressed::traffic;

constexpr std::size_t features = 1024, samples = 256, batch = 16;
constexpr float rate = 0.5F;
const algorithm::any dense_way = algorithm::halving_doubling{};

/// The samples of a rank, by rows, and their classes. Later features are smaller.
struct data_set {
    floats rows, classes;
    explicit data_set(int rank) : rows(samples * features), classes(samples) {
        const draws hidden(1), random(2, static_cast<std::uint64_t>(rank));
        for (std::size_t s = 0; s < samples; ++s) {
            float truth = 0;
            for (std::size_t i = 0; i < features; ++i) {
                float& x = rows[s * features + i];
                x = (2 * random.unit(s * features + i) - 1) / (1 + static_cast<float>(i) / 32);
                truth += x * (2 * hidden.unit(i) - 1);
            }
            classes[s] = truth < 0 ? -1.0F : 1.0F;
        }
    }
    [[nodiscard]] float margin(std::size_t s, const floats& w) const {
        float sum = 0;
        for (std::size_t i = 0; i < features; ++i) sum += rows[s * features + i] * w[i];
        return classes[s] * sum;
    }
    /// The mean loss of the batch of a step, and its gradient.
    double gradient(std::size_t step, const floats& w, floats& g) const {
        std::ranges::fill(g, 0.0F);
        double loss = 0;
        for (std::size_t k = 0; k < batch; ++k) {
            const std::size_t s = (step * batch + k) % samples;
            const float m = margin(s, w), slope = -classes[s] / (1 + std::exp(m)) / batch;
            for (std::size_t i = 0; i < features; ++i) g[i] += slope * rows[s * features + i];
            loss += std::log1p(std::exp(-static_cast<double>(m))) / batch;
        }
        return loss;
    }
    [[nodiscard]] double loss(const floats& w) const {
        double sum = 0;
        for (std::size_t s = 0; s < samples; ++s) sum += std::log1p(std::exp(-static_cast<double>(margin(s, w))));
        return sum / samples;
    }
};

/// Makes a step of a rank: the weights change, and what it has sent comes back.
using stepper = std::function<traffic(std::size_t step, floats& weights)>;
/// A way to train, made on each rank.
using way = std::function<stepper(const world&, const data_set&)>;

void descend(floats& w, const floats& g) {
    for (std::size_t i = 0; i < features; ++i) w[i] -= rate * g[i];
}

template <class Compressor>
way compressing(const Compressor& each) {
    return [each](const world& ranks, const data_set& data) -> stepper {
        return [&ranks, &data, by = each, g = floats(features), sent = floats(features)](std::size_t step,
                                                                                         floats& w) mutable {
            data.gradient(step, w, g);
            const traffic cost = by.average(ranks, g, sent);
            descend(w, g);
            return cost;
        };
    };
}

/// The plain average, as a compressor.
struct plain {
    static traffic average(const world& ranks, std::span<float> data, std::span<float>) {
        ranks.allreduce(data, tutti::average, dense_way);
        return compressed::allreduce_traffic(dense_way, ranks, data.size());
    }
};

template <class Period>
way local(const Period& period, training::slow_momentum outer = {}) {
    return [=](const world& ranks, const data_set& data) -> stepper {
        auto all =
            std::make_shared<training::local_sgd<world, Period>>(ranks, floats(features), period, outer, dense_way);
        return [=, &ranks, &data, g = floats(features)](std::size_t step, floats& w) mutable {
            const double loss = data.gradient(step, w, g);
            descend(w, g);
            if (!all->step(w, loss, static_cast<double>(rate))) return traffic{};
            return compressed::allreduce_traffic(dense_way, ranks, features);
        };
    };
}

template <class Graph>
way mixing(const Graph& graph) {
    return [=](const world& ranks, const data_set& data) -> stepper {
        auto mixer = std::make_shared<gossip::mixer<world, Graph>>(ranks, graph);
        return [=, &ranks, &data, g = floats(features)](std::size_t step, floats& w) mutable {
            const auto to = gossip::outgoing(graph, ranks.rank(), ranks.size(), mixer->rounds()).size();
            mixer->start(w);
            data.gradient(step, w, g);
            mixer->finish(w);
            descend(w, g);
            return traffic{to, to * features * sizeof(float)};
        };
    };
}

void print_way(const char* name, int ranks, std::size_t steps, const way& make) {
    auto fabric = transport::memory_world::create(ranks);
    test::run_ranks(ranks, [&](int rank) {
        const world all{transport::memory{fabric, rank}};
        const data_set data(rank);
        floats w(features);
        traffic sent;
        {
            const stepper step = make(all, data);
            for (std::size_t k = 0; k < steps; ++k) sent += step(k, w);
        }
        const double apart = gossip::consensus_distance(all, w);
        all.allreduce(w, average, dense_way);
        const double loss = all.allreduce(data.loss(w), average, dense_way);
        const auto busiest = all.allreduce(sent.bytes, maximum), most = all.allreduce(sent.messages, maximum);
        if (rank == 0)
            std::printf("| %s | %.4f | %.0f | %.2f | %.2g |\n", name, loss,
                        static_cast<double>(busiest) / static_cast<double>(steps),
                        static_cast<double>(most) / static_cast<double>(steps), apart);
    });
}

void print_ways(int ranks, std::size_t steps) {
    using compressed::error_feedback;
    std::printf("%d ranks, %zu steps, %zu weights\n\n", ranks, steps, features);
    std::puts("| way | loss | bytes a step | messages a step | consensus distance |\n|---|---:|---:|---:|---:|");
    const auto print = [&](const char* name, const way& make) { print_way(name, ranks, steps, make); };
    print("allreduce of gradients", compressing(plain{}));
    print("top-k, 1 %, recursive doubling", compressing(error_feedback(compressed::top_k{})));
    print("top-k, 1 %, split allgather", compressing(error_feedback(compressed::top_k{.by = {algorithm::direct{}}})));
    print("top-k, 1 %, without error feedback", compressing(compressed::top_k{}));
    print("random-k, 10 %", compressing(error_feedback(compressed::random_k{.share = 0.1})));
    print("QSGD, 8 bits", compressing(compressed::qsgd{}));
    print("QSGD, 4 bits", compressing(compressed::qsgd{{.bits = 4, .group = 64}}));
    print("signs with majority", compressing(compressed::sign_majority{}));
    print("PowerSGD, rank 1", compressing(error_feedback(compressed::power_sgd({.rank = 1}))));
    print("PowerSGD, rank 4", compressing(error_feedback(compressed::power_sgd({.rank = 4}))));
    print("local SGD, tau 16", local(training::every{16}));
    print("post-local SGD, 50 steps, then tau 16", local(training::post_local{50, 16}));
    print("local SGD, tau 16, slow momentum 0.5", local(training::every{16}, {.kept = 0.5}));
    print("gossip on a ring", mixing(gossip::ring{}));
    print("gossip on a torus", mixing(gossip::torus{}));
    print("gossip on an exponential graph", mixing(gossip::exponential{}));
    print("gossip with one peer", mixing(gossip::one_peer_exponential{}));
}

/// How the consensus distance shrinks in a period: of a graph that is always the same in the geometric mean of later
/// rounds, where the slowest waves are left; of another one in the first period.
template <class Graph>
void print_graph(const char* name, int ranks, const Graph& graph) {
    const std::size_t period = graph.period(ranks), first = period > 1 ? 0 : 8, rounds = period > 1 ? period : 8;
    const double gap = gossip::spectral_gap(gossip::matrix_of_period(graph, ranks));
    auto fabric = transport::memory_world::create(ranks);
    test::run_ranks(ranks, [&](int rank) {
        const world all{transport::memory{fabric, rank}};
        floats x(features);
        for (std::size_t i = 0; i < features; ++i) x[i] = draws(3, static_cast<std::uint64_t>(rank)).unit(i);
        gossip::mixer mixer(all, graph);
        for (std::size_t k = 0; k < first; ++k) mixer.mix(x);
        const double before = gossip::consensus_distance(all, x);
        for (std::size_t k = 0; k < rounds; ++k) mixer.mix(x);
        const double left = gossip::consensus_distance(all, x) / before;
        const auto neighbours = gossip::outgoing(graph, 0, ranks, 0).size();
        if (rank == 0)
            std::printf("| %s | %zu | %.3f | %.3f |\n", name, neighbours, gap,
                        1 - std::pow(left, static_cast<double>(period) / static_cast<double>(rounds)));
    });
}

void print_graphs(int ranks) {
    std::printf("\n%d ranks\n\n| graph | neighbours | spectral gap | measured |\n|---|---:|---:|---:|\n", ranks);
    print_graph("ring", ranks, gossip::ring{});
    print_graph("torus", ranks, gossip::torus{});
    print_graph("exponential", ranks, gossip::exponential{});
    print_graph("one peer, exponential", ranks, gossip::one_peer_exponential{});
}

} // namespace

int main(int argc, char** argv) {
    try {
        const int ranks = argc > 1 ? std::atoi(argv[1]) : 8;
        print_ways(ranks, argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 400);
        for (const int size : {8, 16}) print_graphs(size);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "communicating_less: %s\n", e.what());
        return 1;
    }
}

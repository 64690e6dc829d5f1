// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/communicator.hpp"
#include "../buckets/square_sum.hpp"
#include "graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::training::gossip {

/// Averages a vector with those of neighbours, round after round. In a round of D-PSGD a rank calls start(weights),
/// computes its gradient by them while they travel, calls finish(weights), and then makes its step.
///
/// Preconditions on all ranks: the same graph, lengths and rounds. It has a communicator of its own, so other calls may
/// come in between. Ranks end with different vectors: consensus_distance() tells how far they are apart.
/// Errors: as of send() and receive(). Memory: the vector once for each link.
/// Cost of a round: a message of the whole vector for each neighbour, both ways.
/// Source: D-PSGD, Lian et al., Can decentralized algorithms outperform centralized algorithms, 2017.
template <class Communicator, graph Graph>
class mixer {
public:
    /// Collective.
    explicit mixer(const Communicator& ranks, Graph on = {}) : graph_(on), ranks_(ranks.duplicate()), group_(ranks_) {}
    mixer(const mixer&) = delete;
    mixer& operator=(const mixer&) = delete;

    /// Begins a round with a copy of this vector. Throws invalid_argument if one is under way.
    void start(std::span<const float> x) {
        if (is_under_way_) reject("mixer", "a round is under way", "call finish() between two start()");
        links_ = incoming(graph_, ranks_.rank(), ranks_.size(), round_);
        vectors_.resize(links_.size());
        own_.assign(x.begin(), x.end());
        for (const int to : outgoing(graph_, ranks_.rank(), ranks_.size(), round_)) group_.send(own_, to);
        for (std::size_t i = 0; i < links_.size(); ++i) {
            if (links_[i].rank == ranks_.rank()) continue;
            vectors_[i].resize(x.size());
            group_.receive(vectors_[i], links_[i].rank);
        }
        is_under_way_ = true;
    }
    /// Ends the round: `mixed` becomes the mean of what has come and of the own vector, by the weights of links. Throws
    /// invalid_argument if none is under way, or for another length.
    void finish(std::span<float> mixed) {
        if (!is_under_way_ || mixed.size() != own_.size())
            reject("mixer", "there is no round of this length under way");
        is_under_way_ = false;
        ++round_;
        group_.wait();
        std::ranges::fill(mixed, 0.0F);
        for (std::size_t k = 0; k < links_.size(); ++k) {
            const auto& x = links_[k].rank == ranks_.rank() ? own_ : vectors_[k];
            for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += links_[k].weight * x[i];
        }
    }
    /// A whole round.
    void mix(std::span<float> x) {
        start(x);
        finish(x);
    }
    /// How many rounds have ended.
    [[nodiscard]] std::size_t rounds() const noexcept { return round_; }

private:
    Graph graph_;
    Communicator ranks_;
    std::size_t round_ = 0;
    bool is_under_way_ = false;
    std::vector<link> links_; ///< of the round under way
    std::vector<float> own_;
    std::vector<std::vector<float>> vectors_; ///< by link
    message_group<Communicator> group_;       ///< last: it waits for messages that use the above
};

/// How far ranks' vectors are from their average: the root of the mean over ranks of the squared distance. The same on
/// all ranks. Collective. Preconditions on all ranks: equal lengths. Cost: an allreduce of the vector, and one of 48
/// bytes.
template <class Communicator>
[[nodiscard]] double consensus_distance(const Communicator& ranks, std::span<const float> x) {
    std::vector<float> apart(x.size());
    ranks.allreduce(x, apart, average);
    for (std::size_t i = 0; i < x.size(); ++i) apart[i] = x[i] - apart[i];
    square_sum total;
    add_squares(total, apart);
    return norm_of(ranks.allreduce(total, sum)) / std::sqrt(static_cast<double>(ranks.size()));
}

} // namespace tutti::training::gossip

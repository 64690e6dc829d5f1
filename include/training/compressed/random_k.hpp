// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/algorithm/any.hpp"
#include "../../collectives/algorithm/halving_doubling.hpp"
#include "../../collectives/allreduce.hpp"
#include "dense_traffic.hpp"
#include "random.hpp"
#include "top_k.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::training::compressed {

/// `count` of the numbers below `n`, ascending; each set of them is as likely. Precondition: n is at most 2^32 - 1.
/// Source: selection sampling, Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S. Cost: linear in n.
[[nodiscard]] inline std::vector<std::uint32_t> sample(std::size_t n, std::size_t count, const draws& random) {
    std::vector<std::uint32_t> taken;
    taken.reserve(count);
    for (std::size_t i = 0; taken.size() < count && i < n; ++i)
        if (random.below(n - i, i) < count - taken.size()) taken.push_back(static_cast<std::uint32_t>(i));
    return taken;
}

/// Sends elements that are drawn anew in each call, the same ones on all ranks. So no index travels, and their values
/// are averaged by a plain allreduce. For use with error_feedback: without it, what is left out is lost, and nothing is
/// scaled to make up for it. A compressor. Cost: an allreduce of the share.
/// Source: Stich, Cordonnier and Jaggi, Sparsified SGD with memory, 2018.
struct random_k {
    double share = 0.01;                                ///< of the elements; one is sent at least
    std::uint64_t seed = 1;                             ///< the same on all ranks
    algorithm::any how = algorithm::halving_doubling{}; ///< of the allreduce
    std::uint64_t round = 0;                            ///< calls so far
    /// See compressor.
    [[nodiscard]] std::array<double, 2> numbers() const noexcept { return {share, double(seed)}; }

    /// See stream_compressor.
    [[nodiscard]] random_k with_stream(std::uint64_t n) const { return {share, draws::seed_of(seed, n), how}; }

    /// See compressor. Throws as allreduce.
    template <class Communicator>
    traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) {
        const auto taken = sample(data.size(), detail::count_of(share, data.size()), draws(seed, round++));
        std::vector<float> values;
        for (const std::uint32_t i : taken) values.push_back(data[i]);
        std::ranges::fill(sent, 0.0F);
        for (const std::uint32_t i : taken) sent[i] = data[i];
        ranks.allreduce(values, tutti::average, how);
        std::ranges::fill(data, 0.0F);
        for (std::size_t k = 0; k < taken.size(); ++k) data[taken[k]] = values[k];
        return allreduce_traffic(how, ranks, values.size());
    }
};

} // namespace tutti::training::compressed

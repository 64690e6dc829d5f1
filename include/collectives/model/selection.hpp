// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/all.hpp"

#include <bit>
#include <cstddef>

namespace tutti::model {

/// What runs, and in how many pieces.
struct selection {
    algorithm::any how;
    int segments = 1;
};

/// Into how many segments an algorithm's chunks are cut for `bytes` of data: only trees gain by it, since in all other
/// schedules every rank is busy anyway. A power of two, so that few plans are made.
[[nodiscard]] inline int segments_for(const algorithm::any& how, std::size_t bytes) noexcept {
    constexpr std::size_t worthwhile = 256 * 1024, most = 16;
    if (how.name() != algorithm::double_binary_tree::name || bytes < 4 * worthwhile) return 1;
    const std::size_t wanted = bytes / (2 * worthwhile);
    return static_cast<int>(std::bit_floor(wanted < most ? wanted : most));
}

/// A first rule, by latency against bandwidth: the fewest rounds for little data, the fewest bytes for much. It
/// depends on nothing but what all ranks know: operation, bytes of the whole vector, ranks, and whether operands may
/// change places. Costs: schedule::cost of each algorithm.
[[nodiscard]] inline selection choose(schedule::operation what, std::size_t bytes, int size, bool commutative = true) {
    using namespace algorithm;
    using schedule::operation;
    constexpr std::size_t little = 16 * 1024;
    const bool power_of_two = std::has_single_bit(static_cast<unsigned>(size));
    const auto pick = [&](const any& how) { return selection{how, segments_for(how, bytes)}; };
    switch (what) {
    case operation::allreduce:
        if (!commutative || bytes <= little) return pick(butterfly{});
        return power_of_two ? pick(halving_doubling{}) : pick(ring{});
    case operation::reduce_scatter:
    case operation::allgather: return power_of_two || bytes <= little ? pick(halving_doubling{}) : pick(ring{});
    case operation::reduce:
        if (!commutative) return pick(naive{});
        [[fallthrough]];
    case operation::broadcast: return bytes < 1024 * little ? pick(binomial_tree{}) : pick(double_binary_tree{});
    }
    return pick(ring{});
}

} // namespace tutti::model

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../algorithm/any.hpp"
#include "selection.hpp"
#include "topology.hpp"

#include <bit>
#include <cstddef>

namespace tutti::model {

/// Into how many segments an algorithm's chunks are cut for `bytes` of data. A power of two, so that few plans are
/// made.
[[nodiscard]] inline int segments_for(const algorithm::any& how, std::size_t bytes) noexcept {
    constexpr std::size_t worthwhile = 256 * 1024;
    const auto most = static_cast<std::size_t>(how.most_segments());
    if (most == 1 || bytes < 4 * worthwhile) return 1;
    const std::size_t wanted = bytes / (2 * worthwhile);
    return static_cast<int>(std::bit_floor(wanted < most ? wanted : most));
}

/// A first rule, by latency against bandwidth: the fewest rounds for little data, the fewest bytes for much. Where one
/// ends and the other begins was found by `tutti bench --algorithm all` with 2 and 4 ranks on 2 cores. For more than 8
/// ranks over a network, and for several nodes, the model found it, from published machines (`tutti rule`,
/// docs/machines). It depends on nothing but what all ranks know: operation, bytes of the whole vector, where the ranks
/// are, whether operands may change places, and whether the buffers are given as symmetric memory. The
/// thresholds are in default_choice.ipp, many_ranks.hpp and several_nodes.hpp. Costs: schedule::cost of each algorithm.
[[nodiscard]] selection choose(schedule::operation what, std::size_t bytes, const topology& on, bool commutative = true,
                               bool symmetric = false);

} // namespace tutti::model

#if !defined(TUTTI_COMPILED)
#include "default_choice.ipp"
#endif

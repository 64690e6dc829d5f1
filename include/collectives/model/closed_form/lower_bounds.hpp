// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/operation.hpp"
#include "../parameters.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace tutti::model {

/// Lower bounds for every schedule under Hockney's model. No schedule attains all three everywhere.
struct lower_bounds {
    double latency_s = 0;   ///< rounds in which data of one rank can reach all
    double bandwidth_s = 0; ///< bytes that some rank must send or receive
    double reduction_s = 0; ///< reductions, shared by all ranks
    /// The largest of the three: no schedule takes less.
    [[nodiscard]] constexpr double largest_s() const noexcept {
        return std::max({latency_s, bandwidth_s, reduction_s});
    }
};

/// Of an operation on `bytes`. Source: Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory,
/// practice, and experience, CCPE 2007.
[[nodiscard]] constexpr lower_bounds lower_bounds_of(schedule::operation what, int size, std::size_t bytes,
                                                     const hockney& p) noexcept {
    if (size < 2) return {};
    const auto ranks = static_cast<std::size_t>(size);
    const bool one_root = schedule::has_root(what) && schedule::has_shards(what); // which may have the longest shard
    const double all = static_cast<double>(bytes);
    const double others = one_root ? static_cast<double>(bytes - (bytes + ranks - 1) / ranks) : all * (size - 1) / size;
    const bool whole = schedule::is_scan(what) || (schedule::has_root(what) && !schedule::has_shards(what));
    const double share = whole ? all : what == schedule::operation::allreduce ? 2 * others : others;
    const int rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1))); // ceil(log2 P)
    const double reduced = what == schedule::operation::exscan ? all * (size - 2) / size : others;
    return {rounds * p.alpha_s, share * p.beta_s_per_byte, schedule::reduces(what) ? reduced * p.gamma_s_per_byte : 0};
}

} // namespace tutti::model

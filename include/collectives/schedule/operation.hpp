// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::schedule {

/// A collective operation, by its result. Shard r is the r-th of `size` equal parts of the chunk ids.
enum class operation : std::uint8_t {
    allreduce,      ///< output = the reduction of all inputs, on every rank
    reduce_scatter, ///< output = shard `rank` of the reduction of all inputs
    allgather,      ///< output = all ranks' inputs in rank order, on every rank
    reduce,         ///< output = the reduction of all inputs, on the root only
    broadcast,      ///< output = the root's input, on every rank
    gather,         ///< output = all ranks' inputs in rank order, on the root only
    scatter,        ///< output = shard `rank` of the root's input
    scan,           ///< output = the reduction of the inputs of ranks 0 to `rank`, in rank order
    exscan,         ///< output = the reduction of the inputs of ranks 0 to `rank` - 1, in rank order; none on rank 0
};

inline constexpr std::array operations{operation::allreduce, operation::reduce_scatter, operation::allgather,
                                       operation::reduce,    operation::broadcast,      operation::gather,
                                       operation::scatter,   operation::scan,           operation::exscan};

[[nodiscard]] constexpr std::string_view name_of(operation o) noexcept {
    constexpr std::array<std::string_view, operations.size()> names{
        "allreduce", "reduce_scatter", "allgather", "reduce", "broadcast", "gather", "scatter", "scan", "exscan"};
    return names[static_cast<std::size_t>(o)];
}
[[nodiscard]] constexpr bool has_root(operation o) noexcept {
    return o == operation::reduce || o == operation::broadcast || o == operation::gather || o == operation::scatter;
}
/// Some buffer holds only one rank's equal part of the data.
[[nodiscard]] constexpr bool has_shards(operation o) noexcept {
    return o == operation::reduce_scatter || o == operation::allgather || o == operation::gather ||
           o == operation::scatter;
}
/// Some output holds the inputs of all ranks.
[[nodiscard]] constexpr bool gathers(operation o) noexcept {
    return o == operation::allgather || o == operation::gather;
}
/// Each rank's result is a reduction of the inputs of lower ranks, so that no two ranks have the same.
[[nodiscard]] constexpr bool is_scan(operation o) noexcept { return o == operation::scan || o == operation::exscan; }
[[nodiscard]] constexpr bool reduces(operation o) noexcept {
    return o == operation::allreduce || o == operation::reduce_scatter || o == operation::reduce || is_scan(o);
}

/// The rank that a schedule is for. An algorithm may depend on nothing else.
struct position {
    int rank = 0;
    int size = 1;
    int root = 0;          ///< where has_root(operation)
    bool in_place = false; ///< equal chunk ids of input and output are the same memory
};

/// Chunk ids [first, last).
struct chunk_range {
    int first = 0;
    int last = 0;
    [[nodiscard]] constexpr int count() const noexcept { return last - first; }
    [[nodiscard]] constexpr bool holds(place p) const noexcept {
        return p.first >= first && p.count >= 0 && p.count <= last - p.first;
    }
    friend constexpr bool operator==(const chunk_range&, const chunk_range&) = default;
};

/// Which of an operation's `chunks` ids the user's buffer (input or output) holds on a rank.
[[nodiscard]] constexpr chunk_range window(operation o, const position& p, buffer b, int chunks) noexcept {
    const chunk_range all{0, chunks};
    const chunk_range none{0, 0};
    const chunk_range shard{chunks / p.size * p.rank, chunks / p.size * (p.rank + 1)};
    const bool is_input = b == buffer::input;
    switch (o) {
    case operation::allreduce: return all;
    case operation::reduce_scatter: return is_input ? all : shard;
    case operation::allgather: return is_input ? shard : all;
    case operation::reduce: return is_input || p.rank == p.root ? all : none;
    case operation::broadcast: return !is_input || p.rank == p.root ? all : none;
    case operation::gather: return is_input ? shard : p.rank == p.root ? all : none;
    case operation::scatter: return !is_input ? shard : p.rank == p.root ? all : none;
    case operation::scan: return all;
    case operation::exscan: return is_input || p.rank > 0 ? all : none;
    }
    return none;
}

} // namespace tutti::schedule

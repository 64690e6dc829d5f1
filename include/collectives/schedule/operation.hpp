// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tutti::schedule {

/// A collective operation, by its result. Shard r is the r-th of `size` equal parts of the chunk ids. An alltoall has
/// `size` * `size` equal parts: part d * `size` + s is the block from rank s to rank d.
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
    alltoall,       ///< output = the blocks for this rank, one from each rank, in rank order
};

/// All of them, in the order of the enumeration.
inline constexpr std::array operations{
    operation::allreduce, operation::reduce_scatter, operation::allgather, operation::reduce, operation::broadcast,
    operation::gather,    operation::scatter,        operation::scan,      operation::exscan, operation::alltoall};

/// "allreduce", "reduce_scatter", ...
[[nodiscard]] constexpr std::string_view name_of(operation o) noexcept {
    constexpr std::array<std::string_view, operations.size()> names{
        "allreduce", "reduce_scatter", "allgather", "reduce", "broadcast",
        "gather",    "scatter",        "scan",      "exscan", "alltoall"};
    return names[static_cast<std::size_t>(o)];
}
/// The operation has a root: reduce, broadcast, gather and scatter.
[[nodiscard]] constexpr bool has_root(operation o) noexcept {
    return o == operation::reduce || o == operation::broadcast || o == operation::gather || o == operation::scatter;
}
/// The data are cut into equal parts, one for each rank.
[[nodiscard]] constexpr bool has_shards(operation o) noexcept {
    return o == operation::reduce_scatter || o == operation::allgather || o == operation::gather ||
           o == operation::scatter || o == operation::alltoall;
}
/// How many vectors all chunk ids together are: one, or, in an alltoall, one of each rank.
[[nodiscard]] constexpr int vectors_of(operation o, int size) noexcept { return o == operation::alltoall ? size : 1; }
/// How many equal parts the chunk ids have.
[[nodiscard]] constexpr int parts_of(operation o, int size) noexcept {
    return has_shards(o) ? size * vectors_of(o, size) : 1;
}
/// The most ranks that an operation can have: an int has to hold the number of its parts.
[[nodiscard]] constexpr int most_ranks(operation o) noexcept {
    return o == operation::alltoall ? 46'340 : std::numeric_limits<int>::max();
}
/// Some output holds the inputs of all ranks.
[[nodiscard]] constexpr bool gathers(operation o) noexcept {
    return o == operation::allgather || o == operation::gather;
}
/// Each rank's result is a reduction of the inputs of lower ranks, so that no two ranks have the same.
[[nodiscard]] constexpr bool is_scan(operation o) noexcept { return o == operation::scan || o == operation::exscan; }
/// The operation takes an operator.
[[nodiscard]] constexpr bool reduces(operation o) noexcept {
    return o == operation::allreduce || o == operation::reduce_scatter || o == operation::reduce || is_scan(o);
}

/// The rank that a schedule is for. An algorithm may depend on nothing else.
struct position {
    int rank = 0;          ///< from 0
    int size = 1;          ///< the number of ranks
    int root = 0;          ///< where has_root(operation)
    bool in_place = false; ///< equal chunk ids of input and output are the same memory; of an alltoall, block r of both
};

/// Chunk ids [first, last).
struct chunk_range {
    int first = 0; ///< the first id
    int last = 0;  ///< the id behind the last one
    /// How many ids there are.
    [[nodiscard]] constexpr int count() const noexcept { return last - first; }
    /// All chunks of the place, whatever its buffer, are in the range.
    [[nodiscard]] constexpr bool holds(place p) const noexcept {
        return p.first >= first && p.count >= 0 && p.count <= last - p.first;
    }
    friend constexpr bool operator==(const chunk_range&, const chunk_range&) = default;
};

/// The chunk ids that a buffer holds: `ranges` ranges of equal length, `stride` ids apart. Its memory has them one
/// after the other.
class chunk_window {
public:
    constexpr chunk_window() noexcept = default;
    /// One range.
    constexpr chunk_window(chunk_range only) noexcept
        : first_(only.first), length_(only.count()) {} // NOLINT: a range is one
    /// `ranges` ranges as long as the first one, which begin `stride` ids apart.
    constexpr chunk_window(chunk_range first, int stride, int ranges) noexcept
        : first_(first.first), length_(first.count()), stride_(stride), ranges_(ranges) {}

    /// How many chunks it holds.
    [[nodiscard]] constexpr int count() const noexcept { return length_ * ranges_; }
    /// How many ranges it has.
    [[nodiscard]] constexpr int ranges() const noexcept { return ranges_; }
    /// The k-th range, from 0.
    [[nodiscard]] constexpr chunk_range range(int k) const noexcept {
        return {first_ + k * stride_, first_ + k * stride_ + length_};
    }
    /// The range that an id is in. Precondition: the window holds the id.
    [[nodiscard]] constexpr int range_of(int id) const noexcept { return ranges_ == 1 ? 0 : (id - first_) / stride_; }
    /// How many of its chunks come before this one. Precondition: the window holds the id.
    [[nodiscard]] constexpr int index_of(int id) const noexcept {
        const int k = range_of(id);
        return k * length_ + id - range(k).first;
    }
    /// It holds the place, in one range.
    [[nodiscard]] constexpr bool holds(place p) const noexcept {
        if (ranges_ == 1) return range(0).holds(p);
        return p.first >= first_ && range_of(p.first) < ranges_ && range(range_of(p.first)).holds(p);
    }
    /// visit(id) for all of its chunks, in order.
    constexpr void each(auto&& visit) const {
        for (int k = 0; k < ranges_; ++k)
            for (int id = range(k).first; id < range(k).last; ++id) visit(id);
    }
    friend constexpr bool operator==(const chunk_window&, const chunk_window&) = default;

private:
    int first_ = 0, length_ = 0, stride_ = 0, ranges_ = 1;
};

/// Which of an operation's `chunks` ids the user's buffer (input or output) holds on a rank.
[[nodiscard]] constexpr chunk_window window(operation o, const position& p, buffer b, int chunks) noexcept {
    const chunk_range all{0, chunks};
    const chunk_range none{};
    const chunk_range shard{chunks / p.size * p.rank, chunks / p.size * (p.rank + 1)};
    const auto blocks = [&](int n) { return chunks / (p.size * p.size) * n; };
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
    case operation::alltoall:
        if (is_input) return {{blocks(p.rank), blocks(p.rank + 1)}, blocks(p.size), p.size};
        return chunk_range{blocks(p.size * p.rank), blocks(p.size * (p.rank + 1))};
    }
    return none;
}

} // namespace tutti::schedule

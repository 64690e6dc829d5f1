// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/collectives.hpp>

#include <cstddef>
#include <span>

namespace tutti::test {

/// Where a call has left its result: in these elements of `in` or of `out`; nowhere on a rank that gets none.
struct result_place {
    bool in_input = false;
    std::size_t first = 0, count = 0;
};

/// Makes the call of two spans of equal length, of `size` equal parts, by its typed function. A rank's contribution to
/// a gather or an allgather is the first part of `in`, in place its own part. A scan has no average: nothing is called.
template <class Handle, class T, class Op, class How>
result_place typed_call(const Handle& world, schedule::operation o, std::span<T> in, std::span<T> out, bool in_place,
                        int root, const Op& op, const How& how) {
    using schedule::operation;
    const std::size_t n = in.size(), part = n / static_cast<std::size_t>(world.size());
    const std::size_t begin = part * static_cast<std::size_t>(world.rank());
    const std::span<T> own = in.subspan(begin, part);
    const bool is_root = world.rank() == root;
    if (has_root(o)) in_place = in_place && is_root;
    const std::span<T> contribution = in_place ? own : in.first(part), whole = in_place ? in : out;
    const std::span<T> shard = in_place ? own : out.first(part);
    const result_place all{in_place, 0, n}, of_shard{in_place, in_place ? begin : 0, part};
    switch (o) {
    case operation::allreduce: world.allreduce(in, whole, op, how); return all;
    case operation::reduce_scatter: world.reduce_scatter(in, shard, op, how); return of_shard;
    case operation::allgather: world.allgather(contribution, whole, how); return all;
    case operation::reduce: world.reduce(in, whole, root, op, how); return is_root ? all : result_place{};
    case operation::broadcast: world.broadcast(in, root, how); return {true, 0, n};
    case operation::gather: world.gather(contribution, whole, root, how); return is_root ? all : result_place{};
    case operation::scatter: world.scatter(in, shard, root, how); return of_shard;
    case operation::alltoall: world.alltoall(in, whole, how); return all;
    case operation::scan:
        if constexpr (!has_finisher<Op, T>) return world.scan(in, whole, op, how), all;
        return {};
    case operation::exscan:
        if constexpr (!has_finisher<Op, T>) world.exscan(in, whole, op, how);
        return !has_finisher<Op, T> && world.rank() > 0 ? all : result_place{};
    }
    return {};
}

} // namespace tutti::test

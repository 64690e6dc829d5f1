// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../binomial_tree.hpp"
#include "../emit.hpp"
#include "hierarchical_blocks.hpp"
#include "hierarchical_carriers.hpp"
#include "hierarchical_rooted.hpp"
#include "hierarchical_shards.hpp"

#include <algorithm>

namespace tutti::algorithm::detail {

/// What hierarchical does, for any algorithms of its levels: compiled once for all of them.
class two_levels {
public:
    /// `ranks_per_node`: from 1 to the size of every call.
    constexpr two_levels(const level& local, const level& global, int ranks_per_node) noexcept
        : local_(local), global_(global), g_(ranks_per_node) {}

    TUTTI_COLD constexpr void steps(operation o, const position& p, buffer partial, const sink& put) const {
        if (g_ == 1 || (is_uneven(p.size) && schedule::has_shards(o))) return global_.steps(o, p, partial, put);
        if (is_uneven(p.size))
            return levels_of_carriers(global_, node_bounds(p.size, g_), o, p, chunks(o, p.size)).steps(o, partial, put);
        switch (o) {
        case operation::allreduce: return by_shards(p, put);
        case operation::reduce_scatter: return levels_of_shards(local_, global_, o, p, g_).reduce_scatter(put);
        case operation::allgather: return levels_of_shards(local_, global_, o, p, g_).allgather(put);
        case operation::reduce: return levels_of_root(local_, global_, o, p, g_).reduce(partial, put);
        case operation::broadcast: return levels_of_root(local_, global_, o, p, g_).broadcast(put);
        case operation::alltoall: return levels_of_blocks(local_, global_, p, g_).alltoall(put);
        default: return;
        }
    }

    TUTTI_COLD [[nodiscard]] constexpr int chunks(operation o, int size) const noexcept {
        if (g_ == 1 || (is_uneven(size) && schedule::has_shards(o))) return global_.chunks(o, size);
        const int far = global_.chunks(o, nodes(size));
        return is_uneven(size) ? far : local_.chunks(near_half(o), g_) * far;
    }

    TUTTI_COLD [[nodiscard]] constexpr cost stated(operation o, int size) const noexcept {
        if (o != operation::allreduce) return stated_of_half(o, size);
        const cost far = global_.stated(operation::allreduce, nodes(size));
        if (is_uneven(size))
            return sum(scaled(binomial_tree::stated(operation::reduce, g_), chunks(o, size)), far,
                       scaled(binomial_tree::stated(operation::broadcast, g_), chunks(o, size)), true);
        const int per = global_chunks(nodes(size));
        return sum(scaled(local_.stated(operation::reduce_scatter, g_), per), scaled(far, local_chunks() / g_),
                   scaled(local_.stated(operation::allgather, g_), per), false);
    }

private:
    [[nodiscard]] constexpr bool is_uneven(int size) const noexcept { return size % g_ != 0; }
    [[nodiscard]] constexpr int nodes(int size) const noexcept { return (size + g_ - 1) / g_; }
    /// Local's half of an operation of two levels.
    [[nodiscard]] static constexpr operation near_half(operation o) noexcept {
        if (o == operation::alltoall) return o;
        return o == operation::allgather || o == operation::broadcast ? operation::allgather
                                                                      : operation::reduce_scatter;
    }
    [[nodiscard]] constexpr int local_chunks() const noexcept { return local_.chunks(operation::reduce_scatter, g_); }
    [[nodiscard]] constexpr int global_chunks(int nodes) const noexcept {
        return global_.chunks(operation::allreduce, nodes);
    }

    TUTTI_COLD constexpr void by_shards(const position& p, const sink& put) const {
        const int n = nodes(p.size), node = p.rank / g_, self = p.rank % g_, per = global_chunks(n);
        const int width = local_chunks() / g_; // of a shard, in Local's chunks; then in ours of one of Global's chunks
        const sink_to near([&](const step& s) { put(moved(s, node * g_, 1, 0, per)); });
        const sink_to far([&](const step& s) { put(in_output(moved(s, self, g_, self * per * width, width))); });
        const position here{self, g_, 0, p.in_place}, across{node, n, 0, true};
        local_.steps(operation::reduce_scatter, here, buffer::output, near.erased());
        if (n > 1) global_.steps(operation::allreduce, across, buffer::output, far.erased());
        local_.steps(operation::allgather, here, buffer::output, near.erased());
    }

    /// A step of a part as a step of the whole: peer k is rank base + k stride, chunk c the `per` chunks from
    /// offset + c per.
    [[nodiscard]] static constexpr step moved(step s, int base, int stride, int offset, int per) noexcept {
        if (communicates(s)) s.peer = base + s.peer * stride;
        for (place* x : {&s.from, &s.to}) *x = {x->where, offset + x->first * per, x->count * per};
        return s;
    }
    /// The global part works in place on the output.
    [[nodiscard]] static constexpr step in_output(step s) noexcept {
        const auto change = [](buffer& b) {
            if (b == buffer::input) b = buffer::output;
        };
        change(s.from.where);
        for (buffer& b : s.more) change(b);
        return s;
    }
    [[nodiscard]] static constexpr cost scaled(cost c, int per) noexcept {
        return {c.depth, c.rounds, c.sent * per, c.received * per, c.fan_in, c.bound};
    }
    /// Of an operation that is not an allreduce. Bounds, since its parts overlap: some message of the one may wait for
    /// any of the other.
    TUTTI_COLD [[nodiscard]] constexpr cost stated_of_half(operation o, int size) const noexcept {
        if (g_ == 1 || (is_uneven(size) && schedule::has_shards(o))) return global_.stated(o, size);
        const int n = nodes(size), all = chunks(o, size), per = global_.chunks(o, n), width = all / per / g_;
        const cost far = global_.stated(o, n);
        if (is_uneven(size)) return both(scaled(binomial_tree::stated(o, g_), all), far, n);
        const cost near = local_.stated(near_half(o), g_);
        if (o == operation::alltoall) return both(scaled(near, per / n), scaled(far, all / per * n / size), n);
        if (schedule::has_shards(o)) {
            const int of_shard = per / n; // and each message between nodes is of one shard
            cost split = scaled(far, width);
            split.rounds = std::max(
                {far.rounds, static_cast<int>(far.sent / of_shard), static_cast<int>(far.received / of_shard)});
            return both({near.depth, n * near.rounds, n * near.sent * of_shard, n * near.received * of_shard, 0, true},
                        split, n);
        }
        const cost in_root_node = scaled(cost_by_halves(g_), all / g_);
        return both(both(scaled(near, per), in_root_node, g_), scaled(far, width), n);
    }
    [[nodiscard]] constexpr cost both(const cost& a, const cost& b, int nodes) const noexcept {
        return {a.depth + b.depth, 2 * (a.rounds + b.rounds),
                a.sent + b.sent,   a.received + b.received,
                g_ + nodes - 2,    true};
    }
    /// One part after the other. Where the first part is uneven, ranks reach the others at different times, and
    /// messages of different parts compete: each round of the first may hold up the others by one.
    [[nodiscard]] static constexpr cost sum(const cost& a, const cost& b, const cost& c, bool uneven) noexcept {
        const bool bound = uneven || a.bound || b.bound || c.bound;
        return {a.depth + b.depth + c.depth,
                a.rounds + b.rounds + c.rounds + (a.bound ? a.rounds : 0),
                a.sent + b.sent + c.sent,
                a.received + b.received + c.received,
                bound ? a.fan_in + b.fan_in + c.fan_in : std::max({a.fan_in, b.fan_in, c.fan_in}),
                bound};
    }

    const level& local_;
    const level& global_;
    int g_; ///< ranks of a node, but perhaps of the last
};

} // namespace tutti::algorithm::detail

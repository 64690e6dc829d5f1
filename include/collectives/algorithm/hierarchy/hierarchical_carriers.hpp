// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../schedule/placement.hpp"
#include "../binomial_tree.hpp"
#include "../emit.hpp"

namespace tutti::algorithm::detail {

/// Where nodes of consecutive ranks begin: equally wide but for the last, which may be narrower, or as the seats of a
/// placement, which must outlive it.
class node_bounds {
public:
    constexpr node_bounds(int size, int width) noexcept : size_(size), width_(width) {}
    constexpr explicit node_bounds(const schedule::placement& of) noexcept : placed_(&of) {}

    [[nodiscard]] constexpr int count() const noexcept {
        return placed_ ? placed_->nodes() : (size_ + width_ - 1) / width_;
    }
    /// The first rank of a node; of node `count()`, the number of ranks.
    [[nodiscard]] constexpr int first(int node) const noexcept {
        if (placed_) return placed_->first_seat(node);
        return node < count() ? node * width_ : size_;
    }
    [[nodiscard]] constexpr int ranks(int node) const noexcept { return first(node + 1) - first(node); }
    [[nodiscard]] constexpr int node_of(int rank) const noexcept {
        return placed_ ? placed_->node_of(placed_->rank_at(rank)) : rank / width_;
    }

private:
    int size_ = 0, width_ = 1;
    const schedule::placement* placed_ = nullptr;
};

/// The schedules of hierarchical over nodes of any sizes. One rank of a node is its *carrier*: the root, and the first
/// rank of each other node. Binomial trees join a node's ranks to it, and Global works between carriers.
class levels_of_carriers {
public:
    /// `chunks`: those of all data.
    constexpr levels_of_carriers(const level& global, const node_bounds& nodes, operation o, const position& p,
                                 int chunks) noexcept
        : global_(global), nodes_(nodes), p_{p.rank, p.size, schedule::has_root(o) ? p.root : 0, p.in_place},
          node_(nodes.node_of(p_.rank)), root_node_(nodes.node_of(p_.root)),
          across_{node_, nodes.count(), root_node_, true}, per_(schedule::has_shards(o) ? chunks / p.size : chunks) {}

    /// Of any operation but an alltoall. Sums on their way live in `partial`.
    TUTTI_COLD constexpr void steps(operation o, buffer partial, const sink& put) const {
        switch (o) {
        case operation::allreduce: return allreduce(put);
        case operation::reduce_scatter: return reduce_scatter(partial, put);
        case operation::allgather: return allgather(put);
        case operation::reduce: return reduce(partial, put);
        case operation::broadcast: return broadcast(put);
        default: return;
        }
    }

private:
    TUTTI_COLD constexpr void allreduce(const sink& put) const {
        to_carrier(buffer::output, per_, put);
        if (carries() && across_.size > 1)
            global_.steps(operation::allreduce, across_, buffer::output,
                          sink_to([&](const step& s) { between(in(buffer::output, s), put); }).erased());
        from_carrier(per_, put);
    }

    TUTTI_COLD constexpr void reduce(buffer partial, const sink& put) const {
        to_carrier(partial, per_, put);
        if (carries() && across_.size > 1)
            global_.steps(operation::reduce, across_, buffer::output,
                          sink_to([&](const step& s) { between(in(partial, s), put); }).erased());
    }

    TUTTI_COLD constexpr void broadcast(const sink& put) const {
        if (carries() && across_.size > 1)
            global_.steps(operation::broadcast, across_, buffer::output,
                          sink_to([&](const step& s) { between(s, put); }).erased());
        from_carrier(per_, put);
    }

    /// A node's shards are a block, which Global takes for one shard.
    TUTTI_COLD constexpr void allgather(const sink& put) const {
        if (ranks() > 1) binomial_tree::gather(in_node(), sink_to([&](const step& s) { put(of_members(s)); }).erased());
        if (carries() && across_.size > 1)
            global_.steps(operation::allgather, across_, buffer::output,
                          sink_to([&](const step& s) { blocks(s, put); }).erased());
        from_carrier(p_.size * per_, put);
    }

    TUTTI_COLD constexpr void reduce_scatter(buffer partial, const sink& put) const {
        to_carrier(partial, p_.size * per_, put);
        if (carries() && across_.size > 1)
            global_.steps(operation::reduce_scatter, across_, buffer::output,
                          sink_to([&](const step& s) { blocks(in(partial, s), put); }).erased());
        const int own = p_.rank * per_;
        if (carries() && partial != buffer::output)
            put(schedule::copy({partial, own, per_}, {buffer::output, own, per_}));
        const auto moved = [&](buffer b) { return b == buffer::output ? b : in(partial, b); };
        const sink_to of_node([&](const step& s) {
            step here = of_members(s);
            here.from.where = moved(here.from.where);
            here.to.where = moved(here.to.where);
            put(here);
        });
        if (ranks() > 1) binomial_tree::scatter(in_node(), of_node.erased());
    }

    [[nodiscard]] constexpr int ranks() const noexcept { return nodes_.ranks(node_); }
    [[nodiscard]] constexpr int carrier(int node) const noexcept {
        return node == root_node_ ? p_.root : nodes_.first(node);
    }
    [[nodiscard]] constexpr bool carries() const noexcept { return p_.rank == carrier(node_); }
    TUTTI_COLD [[nodiscard]] constexpr position in_node() const noexcept {
        const int first = nodes_.first(node_);
        return {p_.rank - first, ranks(), carrier(node_) - first, p_.in_place};
    }

    /// The sums of all `chunks` of the node.
    TUTTI_COLD constexpr void to_carrier(buffer partial, int chunks, const sink& put) const {
        if (ranks() > 1)
            binomial_tree::reduce(in_node(), partial, sink_to([&](const step& s) { put(of_all(s, chunks)); }).erased());
        else if (!p_.in_place || partial != buffer::output)
            put(schedule::copy({buffer::input, 0, chunks}, {partial, 0, chunks}));
    }
    TUTTI_COLD constexpr void from_carrier(int chunks, const sink& put) const {
        if (ranks() > 1)
            binomial_tree::broadcast(in_node(), sink_to([&](const step& s) { put(of_all(s, chunks)); }).erased());
    }

    /// A step in the node on all data, which it takes for one chunk.
    [[nodiscard]] constexpr step of_all(step s, int chunks) const noexcept {
        if (communicates(s)) s.peer += nodes_.first(node_);
        for (place* x : {&s.from, &s.to}) *x = {x->where, 0, chunks};
        return s;
    }
    /// A step in the node on shards of its ranks.
    [[nodiscard]] constexpr step of_members(step s) const noexcept {
        const int first = nodes_.first(node_);
        if (communicates(s)) s.peer += first;
        for (place* x : {&s.from, &s.to}) *x = {x->where, (first + x->first) * per_, x->count * per_};
        return s;
    }
    /// A step between carriers on whole data.
    TUTTI_COLD constexpr void between(step s, const sink& put) const {
        if (communicates(s)) s.peer = carrier(s.peer);
        put(s);
    }
    /// A step between carriers on blocks. A chunk of Global is as many of ours as the node has ranks.
    TUTTI_COLD constexpr void blocks(step s, const sink& put) const {
        const auto bound = [&](int c) {
            const int node = c / per_, within = c % per_;
            return nodes_.first(node) * per_ + (within > 0 ? within * nodes_.ranks(node) : 0);
        };
        for (place* x : {&s.from, &s.to})
            if (x->count > 0) *x = {x->where, bound(x->first), bound(x->first + x->count) - bound(x->first)};
        between(s, put);
    }

    /// Input and output are there; scratch is behind.
    [[nodiscard]] static constexpr buffer in(buffer there, buffer b) noexcept {
        if (b < buffer::first_scratch) return there;
        return there < buffer::first_scratch ? b : schedule::scratch(index_of(b) - 1);
    }
    [[nodiscard]] static constexpr step in(buffer there, step s) noexcept {
        s.from.where = in(there, s.from.where);
        s.to.where = in(there, s.to.where);
        for (buffer& b : s.more) b = in(there, b);
        return s;
    }

    const level& global_;
    node_bounds nodes_;
    position p_;
    int node_, root_node_;
    position across_;
    int per_; ///< the chunks of all data or, where ranks have shards, of a shard
};

} // namespace tutti::algorithm::detail

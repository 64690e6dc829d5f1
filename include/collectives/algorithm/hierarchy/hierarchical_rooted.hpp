// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../emit.hpp"
#include "../halves.hpp"
#include "../scatter_allgather.hpp"

namespace tutti::algorithm::detail {

/// The schedules of hierarchical from or to a root, for nodes of equal size. Each rank has a *part* of the data, which
/// it carries between nodes; a node's ranks are counted from the one that has the root's place in its node.
class levels_of_root {
public:
    constexpr levels_of_root(const level& local, const level& global, operation o, const position& p,
                             int ranks_per_node) noexcept
        : local_(local), global_(global), p_(p), g_(ranks_per_node), node_(p.rank / g_), root_node_(p.root / g_),
          across_{node_, p.size / g_, root_node_, true}, per_(global.chunks(o, across_.size)),
          width_(local.chunks(o == operation::reduce ? operation::reduce_scatter : operation::allgather, g_) / g_) {}

    TUTTI_COLD constexpr void broadcast(const sink& put) const {
        const position here{self(), g_, 0, true};
        const sink_to with_root([&](const step& s) { put(near(s, per_ * width_)); });
        if (node_ == root_node_) scatter_allgather::hand_out(here, with_root.erased());
        if (across_.size > 1)
            global_.steps(operation::broadcast, across_, buffer::output,
                          sink_to([&](const step& s) { put(far(s)); }).erased());
        if (node_ == root_node_) return scatter_allgather::exchange(here, with_root.erased());
        local_.steps(operation::allgather, here, buffer::output,
                     sink_to([&](const step& s) { put(near(s, per_)); }).erased());
    }

    /// Sums on their way live in `partial`.
    TUTTI_COLD constexpr void reduce(buffer partial, const sink& put) const {
        const position here{self(), g_, 0, p_.in_place && partial == buffer::output};
        local_.steps(operation::reduce_scatter, here, buffer::output,
                     sink_to([&](const step& s) { put(near(in(partial, s, false), per_)); }).erased());
        if (across_.size > 1)
            global_.steps(operation::reduce, across_, buffer::output,
                          sink_to([&](const step& s) { put(far(in(partial, s, true))); }).erased());
        if (node_ == root_node_) gather(partial, put);
    }

private:
    /// Counted from the root's place in its node.
    [[nodiscard]] constexpr int self() const noexcept { return (p_.rank % g_ - p_.root % g_ + g_) % g_; }
    [[nodiscard]] constexpr int rank_at(int k) const noexcept { return node_ * g_ + (k + p_.root % g_) % g_; }

    /// A step in a node as one of the whole, where a chunk of it is so many of ours.
    [[nodiscard]] constexpr step near(step s, int chunk) const noexcept {
        if (communicates(s)) s.peer = rank_at(s.peer);
        for (place* x : {&s.from, &s.to}) *x = {x->where, x->first * chunk, x->count * chunk};
        return s;
    }
    /// A step between nodes, on this rank's part.
    [[nodiscard]] constexpr step far(step s) const noexcept {
        if (communicates(s)) s.peer = s.peer * g_ + p_.rank % g_;
        const int first = self() * per_ * width_;
        for (place* x : {&s.from, &s.to}) *x = {x->where, first + x->first * width_, x->count * width_};
        return s;
    }
    /// A step that has its output there, and its scratch behind it; its input too, if it works in place.
    [[nodiscard]] static constexpr step in(buffer there, step s, bool in_place) noexcept {
        const auto change = [&](buffer& b) {
            if (b >= buffer::first_scratch)
                b = schedule::scratch(index_of(b) - 1);
            else if (in_place || b == buffer::output)
                b = there;
        };
        change(s.from.where), change(s.to.where);
        for (buffer& b : s.more) change(b);
        return s;
    }

    /// The parts of a node's ranks, at the root.
    TUTTI_COLD constexpr void gather(buffer partial, const sink& put) const {
        each_cut_up(self(), g_, [&](const halves& r) {
            const place parts{partial, r.middle * per_ * width_, (r.last - r.middle) * per_ * width_};
            if (self() == r.middle) put(schedule::send(rank_at(r.first), parts));
            if (self() == r.first) put(schedule::receive(rank_at(r.middle), parts));
        });
    }

    const level& local_;
    const level& global_;
    position p_;
    int g_, node_, root_node_;
    position across_;
    int per_;   ///< Global's chunks of a part
    int width_; ///< Local's
};

} // namespace tutti::algorithm::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../emit.hpp"

namespace tutti::algorithm::detail {

/// The schedules of hierarchical where each rank has a shard, for nodes of equal size. The shards of a node's ranks lie
/// side by side: they are a *block*, and Local works on all blocks at once, in messages of their own. Global works on
/// the shards that equal ranks of the nodes have, which do not: a message of several shards is sent as several.
class levels_of_shards {
public:
    constexpr levels_of_shards(const level& local, const level& global, operation o, const position& p,
                               int ranks_per_node) noexcept
        : local_(local), global_(global), here_{p.rank % ranks_per_node, ranks_per_node, 0, p.in_place},
          across_{p.rank / ranks_per_node, p.size / ranks_per_node, 0, p.in_place},
          per_(global.chunks(o, across_.size) / across_.size), width_(local.chunks(o, here_.size) / here_.size) {}

    /// The node's sums lie in scratch. Other nodes' blocks come first.
    TUTTI_COLD constexpr void reduce_scatter(const sink& put) const {
        if (across_.size == 1)
            return local_.steps(operation::reduce_scatter, here_, schedule::scratch(0),
                                sink_to([&](const step& s) { put(of_block(0, s)); }).erased());
        const position in_node{here_.rank, here_.size, 0, false}, of_sums{across_.rank, across_.size, 0, true};
        const sink_to all_blocks([&](const step& s) {
            for (int k = 1; k <= across_.size; ++k) put(of_block(behind(k), in_scratch(s, false)));
        });
        local_.steps(operation::reduce_scatter, in_node, buffer::output, all_blocks.erased());
        global_.steps(operation::reduce_scatter, of_sums, buffer::output,
                      sink_to([&](const step& s) { each_shard(in_scratch(s, true), put); }).erased());
        const int own = (across_.rank * here_.size + here_.rank) * shard();
        put(schedule::copy({schedule::scratch(0), own, shard()}, {buffer::output, own, shard()}));
    }

    TUTTI_COLD constexpr void allgather(const sink& put) const {
        if (across_.size > 1)
            global_.steps(operation::allgather, across_, buffer::output,
                          sink_to([&](const step& s) { each_shard(s, put); }).erased());
        const sink_to all_blocks([&](const step& s) {
            for (int k = 0; k < across_.size; ++k) put(of_block(behind(k), s));
        });
        local_.steps(operation::allgather, here_, buffer::output, all_blocks.erased());
    }

private:
    [[nodiscard]] constexpr int shard() const noexcept { return per_ * width_; }
    [[nodiscard]] constexpr int behind(int k) const noexcept {
        return (across_.rank + across_.size - k) % across_.size;
    }

    [[nodiscard]] constexpr step of_block(int block, step s) const noexcept {
        if (communicates(s)) s.peer += across_.rank * here_.size;
        const int first = block * here_.size * shard();
        for (place* x : {&s.from, &s.to}) *x = {x->where, first + x->first * per_, x->count * per_};
        return s;
    }
    /// A step of Global, for each shard that it is about.
    TUTTI_COLD constexpr void each_shard(step s, const sink& put) const {
        if (communicates(s)) s.peer = s.peer * here_.size + here_.rank;
        each_piece(reads_from(s) ? s.from : s.to, per_, [&](int c, int count) {
            const int first = (c / per_ * here_.size + here_.rank) * shard() + c % per_ * width_;
            for (place* x : {&s.from, &s.to}) *x = {x->where, first, count * width_};
            put(s);
        });
    }
    /// A step that has its output in scratch bank 0, its input too if it works in place, and its own scratch behind.
    [[nodiscard]] static constexpr step in_scratch(step s, bool in_place) noexcept {
        const auto change = [&](buffer& b) {
            if (b != buffer::input || in_place) b = b < buffer::first_scratch ? schedule::scratch(0) : next(b);
        };
        change(s.from.where), change(s.to.where);
        for (buffer& b : s.more) change(b);
        return s;
    }
    [[nodiscard]] static constexpr buffer next(buffer b) noexcept { return static_cast<buffer>(index_of(b) + 1); }

    const level& local_;
    const level& global_;
    position here_, across_;
    int per_;   ///< Global's chunks of a shard
    int width_; ///< Local's
};

} // namespace tutti::algorithm::detail

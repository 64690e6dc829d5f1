// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../emit.hpp"

namespace tutti::algorithm::detail {

/// The alltoall of hierarchical over N nodes of g ranks. In each node Local gives each rank what is for the ranks of
/// its place on all nodes. Then Global exchanges between ranks of one place, each block straight into its output. So a
/// rank sends g - 1 and N - 1 messages where both send to everyone. What waits for Global lies in a scratch bank for
/// each node.
class levels_of_blocks {
public:
    constexpr levels_of_blocks(const level& local, const level& global, const position& p, int ranks_per_node) noexcept
        : local_(local), global_(global), here_{p.rank % ranks_per_node, ranks_per_node, 0, p.in_place},
          across_{p.rank / ranks_per_node, p.size / ranks_per_node, 0, false},
          near_(local.chunks(operation::alltoall, here_.size) / (here_.size * here_.size)),
          far_(global.chunks(operation::alltoall, across_.size) / (across_.size * across_.size)) {}

    TUTTI_COLD constexpr void alltoall(const sink& put) const {
        for (int k = 1; k < across_.size; ++k) {
            const place own{buffer::input, id(node_at(k), here_.rank, across_.rank, here_.rank), near_ * far_};
            put(schedule::copy(own, {waiting_for(node_at(k)), own.first, own.count}));
        }
        local_.steps(operation::alltoall, here_, buffer::output,
                     sink_to([&](const step& s) { in_node(s, put); }).erased());
        if (across_.size > 1)
            global_.steps(operation::alltoall, across_, buffer::output,
                          sink_to([&](const step& s) { between(s, put); }).erased());
    }

private:
    [[nodiscard]] constexpr int node_at(int k) const noexcept { return (across_.rank + k) % across_.size; }
    [[nodiscard]] static constexpr buffer waiting_for(int node) noexcept { return schedule::scratch(node); }

    /// The first chunk of the block to rank `to` of node `to_node` from such a one.
    [[nodiscard]] constexpr int id(int to_node, int to, int from_node, int from) const noexcept {
        const int size = here_.size * across_.size;
        return ((to_node * here_.size + to) * size + from_node * here_.size + from) * near_ * far_;
    }

    /// A step of Local. A block of it is one for each node.
    TUTTI_COLD constexpr void in_node(step s, const sink& put) const {
        if (communicates(s)) s.peer += across_.rank * here_.size;
        const place all = reads_from(s) ? s.from : s.to;
        each_piece(all, near_, [&](int c, int count) {
            const int block = c / near_;
            for (int k = 0; k < across_.size; ++k) {
                const int node = node_at(k);
                const int first = id(node, block / here_.size, across_.rank, block % here_.size) + c % near_ * far_;
                step part = s;
                part.from = {near_buffer(s.from.where, node), first, count * far_};
                part.to = {near_buffer(s.to.where, node), first, count * far_};
                const bool is_last = k + 1 == across_.size && c + count == all.first + all.count;
                if (communicates(s) && !is_last) part.joined = true;
                put(part);
            }
        });
    }
    /// A step of Global. A block of it is those of all ranks of a node, in a row.
    TUTTI_COLD constexpr void between(step s, const sink& put) const {
        if (communicates(s)) s.peer = s.peer * here_.size + here_.rank;
        const int row = across_.size * far_, wide = here_.size * near_;
        const place all = reads_from(s) ? s.from : s.to;
        each_piece(all, row, [&](int c, int count) {
            const int to = c / row, first = id(to, here_.rank, 0, 0) + c % row * wide;
            step part = s;
            part.from = {far_buffer(s.from.where, to), first, count * wide};
            part.to = {far_buffer(s.to.where, to), first, count * wide};
            if (communicates(s) && c + count < all.first + all.count) part.joined = true;
            put(part);
        });
    }

    /// Behind the banks of what waits, those of Local and of Global take turns; Local's are one for each node.
    [[nodiscard]] constexpr buffer near_buffer(buffer b, int node) const noexcept {
        if (b == buffer::input) return b;
        if (b == buffer::output) return node == across_.rank ? b : waiting_for(node);
        return schedule::scratch(across_.size + 2 * (bank(b) * across_.size + node));
    }
    [[nodiscard]] constexpr buffer far_buffer(buffer b, int to) const noexcept {
        if (b == buffer::input) return waiting_for(to);
        return b == buffer::output ? b : schedule::scratch(across_.size + 2 * bank(b) + 1);
    }
    [[nodiscard]] static constexpr int bank(buffer b) noexcept { return index_of(b) - index_of(buffer::first_scratch); }

    const level& local_;
    const level& global_;
    position here_, across_;
    int near_; ///< Local's chunks of a block
    int far_;  ///< Global's
};

} // namespace tutti::algorithm::detail

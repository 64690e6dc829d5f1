// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "double_binary_tree_form.hpp"
#include "inorder_tree.hpp"

namespace tutti::algorithm {

/// Double binary tree: two trees carry half of the data each, and an inner rank of one is a leaf of the other, so that
/// with many segments every rank sends and receives all the time. Full bandwidth at logarithmic latency.
/// Rooted operations build the trees over the other ranks and hang both below the root.
/// With h the height of the trees over P ranks, about log2 P, and h' over P-1:
///
/// | P ranks, n elements | depth | rounds, one segment | most sent | most received | fan-in |
/// |---|---|---|---|---|---|
/// | reduce | h' + 1 | 2h' + 2 | n | n | 2 |
/// | broadcast | h' + 1 | 2h' + 2 | n | n | 2 |
/// | allreduce | 2h | 4h | 2n | 2n | 2 |
///
/// All figures are bounds. With k segments a half is n/2k, and the rounds grow by a few for each further segment
/// instead of by a multiple.
/// Source: Sanders, Speck and Träff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009.
struct double_binary_tree {
    static constexpr std::string_view name = "double_binary_tree";
    static constexpr std::string_view idea =
        "Two trees carry half of the vector each: who is a leaf in one passes on in the other.";
    static constexpr std::string_view virtue = "two trees keep every rank busy, and no message waits for many";
    static constexpr int most_segments = 16;
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 2; }
    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept;
    /// An estimate: see double_binary_tree_form.hpp.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        return detail::twin_trees_form<Costs>(c).time();
    }

    template <class Put>
    static constexpr void reduce(const position& p, buffer partial, Put&& put) {
        const rooted r(p);
        for (int which = 0; which < 2 && p.size > 1; ++which) {
            if (p.rank == p.root) {
                put(schedule::receive_reduce(r.rank_of(r.trees.root(which)), half(buffer::input, which),
                                             half(partial, which), side::right));
                continue;
            }
            const buffer have = up(r, which, r.self, p.rank, partial, put);
            put(schedule::send(r.parent(which), half(have, which)));
        }
    }

    template <class Put>
    static constexpr void broadcast(const position& p, Put&& put) {
        const rooted r(p);
        for (int which = 0; which < 2 && p.size > 1; ++which) {
            const place data = half(buffer::output, which);
            if (p.rank == p.root) {
                put(schedule::send(r.rank_of(r.trees.root(which)), data));
                continue;
            }
            put(schedule::receive(r.parent(which), data));
            for (int child : r.trees.children(which, r.self))
                if (child >= 0) put(schedule::send(r.rank_of(child), data));
        }
    }

    template <class Put>
    static constexpr void allreduce(const position& p, Put&& put) {
        const everyone all{detail::twin_trees(p.size)};
        for (int which = 0; which < 2; ++which) {
            const buffer have = up(all, which, p.rank, p.rank, buffer::output, put);
            const int parent = all.trees.parent(which, p.rank);
            if (parent >= 0) put(schedule::send(parent, half(have, which)));
        }
        for (int which = 0; which < 2; ++which) {
            const int parent = all.trees.parent(which, p.rank);
            if (parent >= 0) put(schedule::receive(parent, half(buffer::output, which)));
            for (int child : all.trees.children(which, p.rank))
                if (child >= 0) put(schedule::send(child, half(buffer::output, which)));
        }
    }

private:
    /// Trees over all ranks.
    struct everyone {
        detail::twin_trees trees;
        [[nodiscard]] constexpr int rank_of(int node) const noexcept { return node; }
    };
    /// Trees over all ranks but the root, which is above both.
    struct rooted {
        detail::twin_trees trees;
        int root, size, self;
        constexpr explicit rooted(const position& p) noexcept
            : trees(p.size - 1), root(p.root), size(p.size), self((p.rank - p.root + p.size - 1) % p.size) {}
        [[nodiscard]] constexpr int rank_of(int node) const noexcept { return (root + 1 + node) % size; }
        [[nodiscard]] constexpr int parent(int which) const noexcept {
            const int up = trees.parent(which, self);
            return up < 0 ? root : rank_of(up);
        }
    };

    [[nodiscard]] static constexpr place half(buffer b, int which) noexcept { return {b, which, 1}; }

    /// Adds the children's data. Returns where the sum is: with no children, in the input.
    template <class Put>
    static constexpr buffer up(const auto& who, int which, int self, int rank, buffer partial, Put&& put) {
        buffer have = buffer::input;
        for (int child : who.trees.children(which, self)) {
            if (child < 0) continue;
            const int peer = who.rank_of(child);
            put(schedule::receive_reduce(peer, half(have, which), half(partial, which),
                                         peer < rank ? side::left : side::right));
            have = partial;
        }
        return have;
    }
};

constexpr cost double_binary_tree::stated(operation o, int size) noexcept {
    if (size == 1) return {};
    if (o == operation::allreduce) {
        const int height = detail::inorder_tree(size).height();
        return {2 * height, 4 * height, 4, 4, 2, true};
    }
    const int height = detail::inorder_tree(size - 1).height() + 1;
    return {height, 2 * height, 2, 2, 2, true};
}

} // namespace tutti::algorithm

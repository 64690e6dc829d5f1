// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>

namespace tutti::algorithm::detail {

/// A binary tree over the nodes 0 to n-1 in which every subtree is a range of nodes: node v, with lowest set bit b,
/// stands between the subtrees below v - b/2 and v + b/2. Node 0 is the root and has one child.
/// Source: the in-order trees of Sanders, Speck and Träff, Two-tree algorithms, Parallel Computing 2009.
class inorder_tree {
public:
    constexpr explicit inorder_tree(int nodes) noexcept : nodes_(nodes) {}

    /// -1 for the root.
    [[nodiscard]] constexpr int parent(int v) const noexcept {
        if (v == 0) return -1;
        const int bit = v & -v, up = (v ^ bit) | (bit << 1);
        return up < nodes_ ? up : v ^ bit;
    }
    /// The lower and the upper child, -1 where there is none.
    [[nodiscard]] constexpr std::array<int, 2> children(int v) const noexcept {
        int reach = v == 0 ? 1 : (v & -v);
        if (v == 0)
            while (reach < nodes_) reach *= 2;
        const int lower = v == 0 || reach == 1 ? -1 : v - reach / 2;
        int half = reach / 2;
        while (half > 0 && v + half >= nodes_) half /= 2;
        return {lower, half > 0 ? v + half : -1};
    }
    [[nodiscard]] constexpr int height() const noexcept {
        int most = 0;
        for (int v = 0; v < nodes_; ++v) {
            int depth = 0;
            for (int up = parent(v); up >= 0; up = parent(up)) ++depth;
            most = depth > most ? depth : most;
        }
        return most;
    }

private:
    int nodes_;
};

/// The two trees of an operation over n nodes, which carry half of the data each: the second is the first one
/// mirrored for even n, shifted by one for odd n, so that (but for node 0 and odd n) no node is inside both.
class twin_trees {
public:
    constexpr explicit twin_trees(int nodes) noexcept : tree_(nodes), nodes_(nodes) {}

    [[nodiscard]] constexpr int parent(int which, int v) const noexcept {
        const int up = tree_.parent(to_tree(which, v));
        return up < 0 ? -1 : from_tree(which, up);
    }
    /// In ascending order; -1 where there is none.
    [[nodiscard]] constexpr std::array<int, 2> children(int which, int v) const noexcept {
        auto c = tree_.children(to_tree(which, v));
        for (int& x : c) x = x < 0 ? -1 : from_tree(which, x);
        if (c[0] > c[1]) return {c[1], c[0]};
        return c;
    }
    [[nodiscard]] constexpr int root(int which) const noexcept { return from_tree(which, 0); }
    [[nodiscard]] constexpr int height() const noexcept { return tree_.height(); }

private:
    [[nodiscard]] constexpr int to_tree(int which, int v) const noexcept {
        if (which == 0) return v;
        return nodes_ % 2 == 0 ? nodes_ - 1 - v : (v + nodes_ - 1) % nodes_;
    }
    [[nodiscard]] constexpr int from_tree(int which, int v) const noexcept {
        if (which == 0) return v;
        return nodes_ % 2 == 0 ? nodes_ - 1 - v : (v + 1) % nodes_;
    }

    inorder_tree tree_;
    int nodes_;
};

} // namespace tutti::algorithm::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/inorder_tree.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

using tutti::algorithm::detail::inorder_tree;
using tutti::algorithm::detail::twin_trees;

namespace {

constexpr int most = 300;

/// Nodes of the subtree below v, v included; ends by itself only if there is no cycle, hence the limit.
template <class Children>
void collect(const Children& children, int v, std::vector<int>& found, int limit) {
    if (static_cast<int>(found.size()) > limit) return;
    found.push_back(v);
    for (const int child : children(v))
        if (child >= 0) collect(children, child, found, limit);
}

template <class Children>
bool spans(const Children& children, int root, int nodes) {
    std::vector<int> found, times(static_cast<std::size_t>(nodes), 0);
    collect(children, root, found, nodes);
    for (const int v : found)
        if (v < nodes) ++times[static_cast<std::size_t>(v)];
    return times == std::vector<int>(static_cast<std::size_t>(nodes), 1);
}

} // namespace

TEST_CASE("the tree spans all nodes, from node 0 which has at most one child") {
    for (int nodes = 1; nodes <= most; ++nodes) {
        const inorder_tree tree(nodes);
        INFO(nodes << " nodes");
        CHECK(spans([&](int v) { return tree.children(v); }, 0, nodes));
        CHECK(tree.parent(0) == -1);
        CHECK(tree.children(0)[0] == -1);
    }
}

TEST_CASE("parents and children agree, lower children are below and upper ones above") {
    for (int nodes = 1; nodes <= most; ++nodes) {
        const inorder_tree tree(nodes);
        bool agree = true;
        for (int v = 0; v < nodes; ++v) {
            const auto [lower, upper] = tree.children(v);
            agree = agree && lower < v && (upper < 0 || (upper > v && upper < nodes));
            for (const int child : {lower, upper}) agree = agree && (child < 0 || tree.parent(child) == v);
            const int parent = tree.parent(v);
            if (v > 0) agree = agree && (tree.children(parent)[0] == v || tree.children(parent)[1] == v);
        }
        INFO(nodes << " nodes");
        CHECK(agree);
    }
}

TEST_CASE("every subtree is a range of nodes with its root between its children's") {
    for (int nodes = 1; nodes <= most; ++nodes) {
        const inorder_tree tree(nodes);
        bool ranges = true;
        for (int v = 0; v < nodes; ++v) {
            std::vector<int> below;
            collect([&](int x) { return tree.children(x); }, v, below, nodes);
            const auto [low, high] = std::minmax_element(below.begin(), below.end());
            ranges = ranges && *high - *low + 1 == static_cast<int>(below.size());
        }
        INFO(nodes << " nodes");
        CHECK(ranges);
    }
}

TEST_CASE("the height is the longest way up, about log2 of the nodes") {
    for (int nodes = 1; nodes <= most; ++nodes) {
        int log = 0;
        while ((1 << log) < nodes) ++log;
        INFO(nodes << " nodes");
        CHECK((inorder_tree(nodes).height() >= log - 1 && inorder_tree(nodes).height() <= log));
    }
    CHECK(inorder_tree(1).height() == 0);
    CHECK(inorder_tree(2).height() == 1);
    CHECK(inorder_tree(9).height() == 4);
}

TEST_CASE("both twins span all nodes, and their parents and children agree") {
    for (int nodes = 1; nodes <= most; ++nodes) {
        const twin_trees twins(nodes);
        for (const int which : {0, 1}) {
            bool agree = twins.parent(which, twins.root(which)) == -1;
            for (int v = 0; v < nodes; ++v) {
                const auto [first, second] = twins.children(which, v);
                agree = agree && (second < 0 || first < second);
                for (const int child : {first, second}) agree = agree && (child < 0 || twins.parent(which, child) == v);
            }
            INFO(nodes << " nodes, tree " << which);
            CHECK(spans([&](int v) { return twins.children(which, v); }, twins.root(which), nodes));
            CHECK(agree);
        }
    }
}

TEST_CASE("no node is inside both twins, but for node 0 where the number of nodes is odd") {
    for (int nodes = 1; nodes <= most; ++nodes) {
        const twin_trees twins(nodes);
        const auto inside = [&](int which, int v) {
            const auto c = twins.children(which, v);
            return c[0] >= 0 || c[1] >= 0;
        };
        std::vector<int> both;
        for (int v = 0; v < nodes; ++v)
            if (inside(0, v) && inside(1, v)) both.push_back(v);
        INFO(nodes << " nodes");
        if (nodes % 2 == 0)
            CHECK(both.empty());
        else
            CHECK((both.empty() || both == std::vector<int>{0}));
    }
}

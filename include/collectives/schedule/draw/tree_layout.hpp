// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "svg.hpp"
#include "tree.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::schedule::draw::detail {

/// Places the ranks of a tree: leaves side by side, each parent above the middle of its children.
class tree_layout {
public:
    explicit tree_layout(const tree& t) : tree_(t), at_(t.parent.size()) { place(t.root, 0); }

    /// x in leaves, y in levels, both from 0.
    [[nodiscard]] point of(int rank) const { return at_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] int leaves() const noexcept { return leaves_; }
    [[nodiscard]] int levels() const noexcept { return levels_; }

private:
    void place(int rank, int level) {
        const auto& children = tree_.children[static_cast<std::size_t>(rank)];
        for (const int child : children) place(child, level + 1);
        levels_ = std::max(levels_, level + 1);
        const double x = children.empty() ? leaves_++ : (of(children.front()).x + of(children.back()).x) / 2;
        at_[static_cast<std::size_t>(rank)] = {x, static_cast<double>(level)};
    }

    const tree& tree_;
    std::vector<point> at_;
    int leaves_ = 0;
    int levels_ = 0;
};

} // namespace tutti::schedule::draw::detail

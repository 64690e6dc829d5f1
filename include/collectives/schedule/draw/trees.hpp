// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "legend.hpp"
#include "svg.hpp"
#include "timeline.hpp"
#include "tree.hpp"
#include "tree_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::schedule::draw {

namespace detail {

/// "", "3", "1-4"
[[nodiscard]] inline std::string label_of(const span_of_rounds& s) {
    if (s.first == 0) return "";
    return std::to_string(s.first) + (s.first == s.last ? "" : "-" + std::to_string(s.last));
}

class forest {
public:
    forest(const timeline& t, const key& k, const std::vector<tree>& trees, std::string_view title)
        : key_(k), trees_(trees), layouts_(trees.begin(), trees.end()), pitch_(pitch_of(trees)),
          picture_(std::max(key::width, extent() + 2 * margin), bottom() + 40 + key_.height(), title,
                   "The ranks as trees, root on top: operands go up, results come down. " + summary_of(t) + ".") {
        picture_.write({12, 22}, title, "ink bold");
        picture_.write({12, 38}, summary_of(t), "faint");
        double left = std::max(margin, (key::width - extent()) / 2);
        for (std::size_t i = 0; i < trees_.size(); ++i) {
            write(i, left);
            left += layouts_[i].leaves() * pitch_ + gap;
        }
        picture_.write({12, bottom() + 20}, signs(), "faint");
        key_.write(picture_, {12, bottom() + 20 + key::pitch});
    }

    [[nodiscard]] std::string finish() && { return std::move(picture_).finish(); }

private:
    static constexpr double margin = 12, gap = 28, top = 86, level = 66, radius = 12;

    [[nodiscard]] static double pitch_of(const std::vector<tree>& trees) {
        std::size_t longest = 1;
        for (const tree& t : trees)
            for (const auto* spans : {&t.up, &t.down})
                for (const span_of_rounds& s : *spans) longest = std::max(longest, label_of(s).size());
        return 2 * radius + 18 + 5 * static_cast<double>(longest);
    }
    [[nodiscard]] double extent() const {
        double all = -gap;
        for (const tree_layout& l : layouts_) all += l.leaves() * pitch_ + gap;
        return all;
    }
    [[nodiscard]] double bottom() const {
        int levels = 0;
        for (const tree_layout& l : layouts_) levels = std::max(levels, l.levels());
        return top + (levels - 1) * level + radius + 22;
    }
    [[nodiscard]] std::string signs() const {
        const auto any = [this](auto member) {
            return std::any_of(trees_.begin(), trees_.end(), [=](const tree& t) {
                return std::any_of((t.*member).begin(), (t.*member).end(), [](auto& s) { return s.first > 0; });
            });
        };
        const std::string up = any(&tree::up) ? "\u2191 rounds of sending up   " : "";
        return up + (any(&tree::down) ? "\u2193 rounds of receiving from above" : "");
    }

    void write(std::size_t k, double left) {
        const tree& t = trees_[k];
        const auto place = [&](int rank) {
            const point p = layouts_[k].of(rank);
            return point{left + (p.x + 0.5) * pitch_, top + p.y * level};
        };
        if (key_.by_route())
            picture_.write({left + layouts_[k].leaves() * pitch_ / 2, top - radius - 8},
                           "chunk " + chunks_label(key_.ways().chunks[k]), "f" + std::to_string(k % hues), "middle");
        const auto above = [&](int rank) {
            return place(rank == t.root ? rank : t.parent[static_cast<std::size_t>(rank)]);
        };
        for (int rank = 0; rank < static_cast<int>(t.parent.size()); ++rank)
            if (rank != t.root) write_edge(t, static_cast<int>(k), rank, place(rank), above(rank));
        for (int rank = 0; rank < static_cast<int>(t.parent.size()); ++rank)
            write_node(t, static_cast<int>(k), rank, place(rank), above(rank));
    }
    /// One arrow in the middle, or two beside each other.
    void write_edge(const tree& t, int route, int rank, point below, point above) {
        const auto at = static_cast<std::size_t>(rank);
        const bool both = t.up[at].first > 0 && t.down[at].first > 0;
        const point far = towards(below, above, 1);
        const double aside = both ? 3 : 0, dx = (below.y - far.y) * aside, dy = (far.x - below.x) * aside;
        const point low = towards(below, above, radius + 2), high = towards(above, below, radius + 2);
        if (t.up[at].first > 0)
            picture_.line({low.x - dx, low.y - dy}, {high.x - dx, high.y - dy},
                          key::arrow(key_.colour_of(false, route), false), told(rank, "up", t.up[at]));
        if (t.down[at].first > 0)
            picture_.line({high.x + dx, high.y + dy}, {low.x + dx, low.y + dy},
                          key::arrow(key_.colour_of(true, route), true), told(rank, "down", t.down[at]));
    }
    [[nodiscard]] static std::string told(int rank, const std::string& way, const span_of_rounds& s) {
        return "rank " + std::to_string(rank) + " " + way + ": round " + label_of(s);
    }
    /// Inside a tree filled, at its end hollow.
    void write_node(const tree& t, int route, int rank, point at, point above) {
        const bool inside = !t.children[static_cast<std::size_t>(rank)].empty();
        const std::string fill = key_.by_route() ? "f" + std::to_string(key_.colour_of(true, route)) : "ink";
        picture_.circle(at, radius, inside ? fill : "paper line");
        picture_.write({at.x, at.y + 4}, std::to_string(rank), inside ? "paper" : "ink", "middle");
        const bool leftwards = at.x < above.x;
        if (!inside)
            write_rounds(t, rank, {at.x, at.y + radius + 10}, "middle");
        else
            write_rounds(t, rank, {at.x + (leftwards ? -1 : 1) * (radius + 2), at.y - 11}, leftwards ? "end" : "start");
    }
    /// Below a leaf; else beside the rank, where no arrow goes.
    void write_rounds(const tree& t, int rank, point at, std::string_view anchor) {
        const auto number = static_cast<std::size_t>(rank);
        for (const auto& [sign, span] : {std::pair{"\u2191", t.up[number]}, std::pair{"\u2193", t.down[number]}}) {
            if (span.first == 0) continue;
            picture_.write(at, sign + label_of(span), "faint small halo", anchor);
            at.y += 9;
        }
    }

    const key& key_;
    const std::vector<tree>& trees_;
    std::vector<tree_layout> layouts_;
    double pitch_;
    svg picture_;
};

} // namespace detail

/// More of them side by side are no picture.
inline constexpr std::size_t most_trees = 2;

/// SVG of the tree along which the chunks travel, or the two trees side by side: root on top, beside each rank the
/// rounds in which it sends up and receives from above. Throws tutti::error(invalid_argument) for what is no tree, or
/// more than two.
[[nodiscard]] inline std::string trees_svg(const timeline& t, std::string_view title) {
    const detail::key k(t);
    const auto refuse = [](std::string detail) {
        reject("drawing of trees", std::move(detail), "draw it as space-time");
    };
    const std::size_t count = k.ways().chunks.size();
    if (count > most_trees) refuse("its chunks take " + std::to_string(count) + " different ways");
    std::vector<tree> trees;
    for (std::size_t route = 0; route < count; ++route) {
        auto found = k.ways().apart ? tree_of(t, k.ways(), static_cast<int>(route)) : std::nullopt;
        if (!found) refuse("what it sends does not travel along a tree");
        trees.push_back(std::move(*found));
    }
    return detail::forest(t, k, trees, title).finish();
}

} // namespace tutti::schedule::draw

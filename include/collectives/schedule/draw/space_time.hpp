// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "legend.hpp"
#include "svg.hpp"
#include "timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::schedule::draw {

namespace detail {

/// "round 3: rank 1 sends chunk 4-7 to rank 5, which reduces it"
[[nodiscard]] inline std::string told(const message& m) {
    return "round " + std::to_string(m.round) + ": rank " + std::to_string(m.from) + " sends chunk " +
           chunks_label(m.first, m.count, -1) + " to rank " + std::to_string(m.to) +
           (m.reduced ? ", which reduces it" : "") + (m.result ? " (result)" : "");
}
[[nodiscard]] inline std::string told(const reduction& r) {
    return "after round " + std::to_string(r.round) + ": rank " + std::to_string(r.rank) + " reduces chunk " +
           chunks_label(r.first, r.count, -1) + " of " + std::to_string(r.operands) + " operands";
}

class space_time {
public:
    space_time(const timeline& t, std::string_view title)
        : t_(t), key_(t), column_(column_width(t)), tops_(tops(t, column_)),
          picture_(width(), bottom() + 12 + key_.height(), title,
                   "Space-time diagram: each column is a rank, time runs downwards in rounds, arrows are messages. " +
                       summary_of(t) + ".") {
        picture_.write({12, 22}, title, "ink bold");
        picture_.write({12, 38}, summary_of(t), "faint");
        write_rounds();
        write_ranks();
        for (const message& m : t.messages) write(m);
        for (const message& m : t.messages) write_ends(m);
        write_reductions();
        key_.write(picture_, {12, bottom() + 20});
        key_.write_dot(picture_, {12, bottom() + 20});
    }

    [[nodiscard]] std::string finish() && { return std::move(picture_).finish(); }

private:
    static constexpr double left = 50, top = 66, dot = 4;

    /// Between two ranks that send towards each other stand two labels.
    [[nodiscard]] static double column_width(const timeline& t) {
        std::size_t longest = 1;
        for (const message& m : t.messages)
            longest = std::max(longest, chunks_label(m.first, m.count, t.chunks).size());
        return std::max(40., 12 + 11 * static_cast<double>(longest));
    }
    /// Where each round begins, and the last ends. A round is the higher the further its messages go, lest they lie
    /// flat upon each other.
    [[nodiscard]] static std::vector<double> tops(const timeline& t, double column) {
        std::vector<double> all{top};
        for (int round = 1; round <= t.rounds; ++round) {
            int hops = 0, messages = 0;
            for (const message& m : t.messages)
                if (m.round == round) {
                    hops += std::abs(m.to - m.from);
                    ++messages;
                }
            all.push_back(all.back() + std::clamp(0.35 * column * hops / messages, 44., 220.));
        }
        return all;
    }
    [[nodiscard]] double width() const { return std::max(key::width, left + t_.size * column_ + 12); }
    [[nodiscard]] double bottom() const { return tops_.back() + 8; }
    [[nodiscard]] double x_of(int rank) const { return left + (rank + 0.5) * column_; }
    [[nodiscard]] double y_after(int round) const { return tops_[static_cast<std::size_t>(round)]; }
    /// The parts of a message begin below each other, and meet.
    [[nodiscard]] point start_of(const message& m) const {
        return {x_of(m.from), y_after(m.round - 1) + 13 + 9. * std::min(m.part, 2)};
    }
    [[nodiscard]] point end_of(const message& m) const { return {x_of(m.to), y_after(m.round) - 7}; }

    void write_rounds() {
        picture_.write({8, top - 8}, "round", "faint small");
        for (int round = 1; round <= t_.rounds; ++round) {
            const double height = y_after(round) - y_after(round - 1);
            if (round % 2 == 1) picture_.rectangle({0, y_after(round - 1)}, width(), height, "band");
            picture_.write({30, y_after(round) - height / 2 + 4}, std::to_string(round), "faint", "end");
        }
    }
    void write_ranks() {
        for (int rank = 0; rank < t_.size; ++rank) {
            picture_.write({x_of(rank), top - 8}, std::to_string(rank), "ink", "middle");
            picture_.line({x_of(rank), top - 3}, {x_of(rank), bottom()}, "line");
        }
        picture_.write({x_of(0) - 8, top - 8}, "rank", "faint small", "end");
    }
    void write(const message& m) {
        const point from = start_of(m), to = end_of(m);
        picture_.line(from, towards(to, from, m.reduced ? dot + 1 : 1), key_.style_of(m), told(m));
    }
    /// Above the arrows: the chunks, at the tail, and where they are reduced.
    void write_ends(const message& m) {
        const point from = start_of(m);
        const bool rightwards = m.to > m.from;
        if (t_.chunks > 1)
            picture_.write({from.x + (rightwards ? 4 : -4), from.y - 3}, chunks_label(m.first, m.count, t_.chunks),
                           "ink small", rightwards ? "start" : "end");
        if (m.reduced) picture_.circle(end_of(m), dot, "ink");
    }
    /// Those of one rank after one round stand beside each other.
    void write_reductions() {
        std::map<std::pair<int, int>, int> before;
        for (const reduction& r : t_.reductions) {
            const int k = before[{r.round, r.rank}]++;
            picture_.circle({x_of(r.rank) + 6. * k, y_after(r.round)}, r.operands > 2 ? dot + 1.5 : dot, "ink",
                            told(r));
        }
    }

    const timeline& t_;
    key key_;
    double column_;
    std::vector<double> tops_;
    svg picture_;
};

} // namespace detail

/// SVG of all messages and reductions: ranks as vertical lines, time downwards, a shaded band a round. A dashed arrow
/// carries operands, a solid one results; labels are chunk ids. Legible for up to 32 ranks.
///
/// @snippet reference.cpp draw
[[nodiscard]] inline std::string space_time_svg(const timeline& t, std::string_view title) {
    return detail::space_time(t, title).finish();
}

} // namespace tutti::schedule::draw

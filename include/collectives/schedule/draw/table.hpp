// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "legend.hpp"
#include "timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::schedule::draw {

namespace detail {

/// Rows of one cell a rank, behind a word.
class grid {
public:
    explicit grid(int columns) : columns_(static_cast<std::size_t>(columns)) {}

    void row(const std::string& word) { rows_.push_back({word, std::vector<std::string>(columns_)}); }
    [[nodiscard]] std::string& cell(int column) { return rows_.back().cells[static_cast<std::size_t>(column)]; }

    /// The first empty cell of the column in the rows from number `first` on; a new row if there is none.
    [[nodiscard]] std::string& empty_cell(std::size_t first, int column) {
        for (std::size_t k = first; k < rows_.size(); ++k)
            if (auto& c = rows_[k].cells[static_cast<std::size_t>(column)]; c.empty()) return c;
        row("");
        return cell(column);
    }
    [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }

    [[nodiscard]] std::string text() const {
        std::size_t widest = 0;
        for (const line& l : rows_)
            for (const std::string& c : l.cells) widest = std::max(widest, c.size());
        std::string all;
        for (const line& l : rows_) {
            std::string one = std::string(5 - std::min<std::size_t>(l.word.size(), 5), ' ') + l.word;
            for (const std::string& c : l.cells) one += "  " + c + std::string(widest - c.size(), ' ');
            all += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
        }
        return all;
    }

private:
    struct line {
        std::string word;
        std::vector<std::string> cells;
    };
    std::size_t columns_;
    std::vector<line> rows_;
};

/// A message with all of its parts, which follow each other. It is a result if all are.
[[nodiscard]] inline std::string cell_of(std::span<const message> parts, const timeline& t) {
    const auto is_result = [](const message& m) { return m.result; };
    const auto is_reduced = [](const message& m) { return m.reduced; };
    std::string cell;
    for (const message& m : parts)
        if (t.chunks > 1) cell.append(m.part > 0 ? "," : "").append(chunks_label(m.first, m.count, t.chunks));
    return cell + (std::ranges::all_of(parts, is_result) ? "=>" : ">") + std::to_string(parts.front().to) +
           (std::ranges::any_of(parts, is_reduced) ? "+" : "");
}
[[nodiscard]] inline std::string cell_of(const reduction& r, const timeline& t) {
    return (t.chunks > 1 ? chunks_label(r.first, r.count, t.chunks) : "") + "+" + std::to_string(r.operands);
}

/// The local work after a round, in as many rows as its busiest rank has.
inline void add_reductions(grid& g, const timeline& t, int round) {
    const std::size_t first = g.rows();
    for (const reduction& r : t.reductions)
        if (r.round == round) g.empty_cell(first, r.rank) = cell_of(r, t);
}

[[nodiscard]] inline std::string signs_of(const timeline& t) {
    const bool cut = t.chunks > 1;
    const std::string c = cut ? "c" : "", of = cut ? " of chunk c" : "";
    if (!reduces(t.what)) return c + "=>r  the data" + of + " go to rank r\n";
    return c + ">r    an operand or partial sum" + of + " goes to rank r\n" + //
           c + ">r+   likewise, and is reduced there as it comes\n" +         //
           c + "=>r   the result" + of + " goes to rank r\n" +                //
           c + "+k    k operands" + of + " are reduced, after the round above\n";
}

} // namespace detail

/// Text of all messages and reductions: a row a round, a column a rank, in each the message that it sends; below a
/// round what is reduced after it. Some 80 characters wide for 8 ranks.
[[nodiscard]] inline std::string table_of(const timeline& t, std::string_view title) {
    detail::grid g(t.size);
    g.row("round");
    for (int rank = 0; rank < t.size; ++rank) g.cell(rank) = "rank " + std::to_string(rank);
    detail::add_reductions(g, t, 0);
    auto next = t.messages.begin();
    for (int round = 1; round <= t.rounds; ++round) {
        g.row(std::to_string(round));
        while (next != t.messages.end() && next->round == round) {
            const auto end = std::find_if(next + 1, t.messages.end(), [](const message& m) { return m.part == 0; });
            g.cell(next->from) = detail::cell_of({next, end}, t);
            next = end;
        }
        detail::add_reductions(g, t, round);
    }
    return std::string(title) + ": " + detail::summary_of(t) + "\n\n" + g.text() + "\n" + detail::signs_of(t);
}

} // namespace tutti::schedule::draw

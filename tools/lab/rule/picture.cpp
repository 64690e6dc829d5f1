// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "rule.hpp"

#include "../../tutti/common/quantities.hpp"

#include <collectives/schedule/draw/svg.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

using schedule::draw::detail::point;
using schedule::draw::detail::svg;

/// How a loss looks: by size, for who does not see the colour.
struct mark {
    double up_to;
    double share; ///< of a cell's side
    std::string_view style, meaning;
};
constexpr std::array marks{mark{1.05, 0, "", "up to 1.05"}, mark{1.3, 0.35, "f6", "up to 1.3"},
                           mark{2, 0.65, "f5", "up to 2"}, mark{1e300, 1, "f1", "more"}};

constexpr double cell_side = 9, left = 66, top = 66, gap_x = 60, gap_y = 58, below = 62;

const mark& mark_of(double times) {
    return *std::find_if(marks.begin(), marks.end(), [&](const mark& m) { return times <= m.up_to; });
}
void draw_mark(svg& s, point corner, const mark& m) {
    const double side = m.share * (cell_side - 1), aside = (cell_side - side) / 2;
    if (side > 0) s.rectangle({corner.x + aside, corner.y + aside}, side, side, m.style);
}

std::string short_bytes(std::size_t bytes) {
    std::string text = bytes_text(static_cast<double>(bytes));
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

/// One operation in nodes of one width: ranks to the right, bytes upwards.
class panel {
public:
    panel(svg& s, point corner, const rule_question& q) : svg_(s), corner_(corner), question_(q) {}

    void frame(const std::string& title) const {
        const double width = cell_side * static_cast<double>(question_.ranks.size());
        const double height = cell_side * static_cast<double>(question_.bytes.size());
        svg_.write({corner_.x, corner_.y - 7}, title, "ink");
        svg_.rectangle(corner_, width, height, "band");
        for (std::size_t k = 0; k < question_.bytes.size(); k += 3)
            svg_.write({corner_.x - 4, at(0, k).y + cell_side - 1.5}, short_bytes(question_.bytes[k]), "faint small",
                       "end");
        for (std::size_t k = 0; k < question_.ranks.size(); k += 4)
            svg_.write({at(k, 0).x + cell_side / 2, corner_.y + height + 11}, std::to_string(question_.ranks[k]),
                       "faint small", "middle");
    }
    void mark_call(int ranks, std::size_t bytes, double times) const {
        draw_mark(svg_, at(place(question_.ranks, ranks), place(question_.bytes, bytes)), mark_of(times));
    }

private:
    [[nodiscard]] static std::size_t place(const auto& list, auto value) {
        return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
    }
    [[nodiscard]] point at(std::size_t column, std::size_t row) const {
        return {corner_.x + cell_side * static_cast<double>(column),
                corner_.y + cell_side * static_cast<double>(question_.bytes.size() - 1 - row)};
    }

    svg& svg_;
    point corner_;
    const rule_question& question_;
};

void legend(svg& s, double y) {
    double x = left;
    s.write({x, y}, "The rule's time over that of the best:", "faint");
    x += 205;
    for (const mark& m : marks) {
        s.rectangle({x, y - 8}, cell_side, cell_side, "band");
        draw_mark(s, {x, y - 8}, m);
        s.write({x + cell_side + 5, y}, m.meaning, "ink");
        x += 80;
    }
    s.write({left, y + 17}, "Ranks to the right, bytes of the whole vector upwards.", "faint");
}

} // namespace

std::string picture_of(const rule_question& q, const std::vector<judged_call>& all) {
    using key = std::pair<int, std::size_t>;
    std::map<std::pair<std::size_t, std::size_t>, std::map<key, double>> worst; // by operation and node
    for (const judged_call& v : all) {
        const auto what = std::find(q.operations.begin(), q.operations.end(), v.what) - q.operations.begin();
        double& times = worst[{static_cast<std::size_t>(what), v.node}][{v.ranks, v.bytes}];
        times = std::max(times, v.times());
    }
    const double wide = cell_side * static_cast<double>(q.ranks.size()),
                 high = cell_side * static_cast<double>(q.bytes.size());
    const auto columns = static_cast<double>(q.nodes.size()), rows = static_cast<double>(q.operations.size());
    const std::string title = fmt::format("What the rule costs: the worst of {} machines", q.judges.size());
    svg s(left + columns * (wide + gap_x), top + rows * (high + gap_y) + below - gap_y / 2, title,
          "Maps of operations, ranks to the right and bytes upwards; a mark is larger the more the rule's choice costs "
          "over the best.");
    s.write({left, 28}, title, "ink bold");
    for (const auto& [which, calls] : worst) {
        const auto [what, node] = which;
        const point corner{left + static_cast<double>(node) * (wide + gap_x),
                           top + static_cast<double>(what) * (high + gap_y)};
        const panel p(s, corner, q);
        p.frame(std::string(name_of(q.operations[what])) + ", " + node_text(q.nodes[node]));
        for (const auto& [call, times] : calls) p.mark_call(call.first, call.second, times);
    }
    legend(s, top + rows * (high + gap_y) + 8);
    return std::move(s).finish();
}

} // namespace tutti::tools

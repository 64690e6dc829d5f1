// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "style.hpp"

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::schedule::draw::detail {

struct point {
    double x = 0;
    double y = 0;
};

/// `length` further on the way from a to b; both differ.
[[nodiscard]] inline point towards(point a, point b, double length) {
    const double whole = std::hypot(b.x - a.x, b.y - a.y);
    return {a.x + (b.x - a.x) / whole * length, a.y + (b.y - a.y) / whole * length};
}

/// One SVG picture, whose elements are added in the order in which they lie on each other. Lengths are in pixels.
/// Styles are classes, as many at once as fit: `ink`, `faint`, `paper` and `band` fill, `line` strokes, `small`, `bold`
/// and `halo` are of text; cK is an arrow of the k-th colour, maybe `dashed`, and fK fills with it.
class svg {
public:
    /// `more_rules` are added to the style sheet.
    svg(double width, double height, std::string_view title, std::string_view description,
        std::string_view more_rules = {}) {
        const std::string size = number(width) + " " + number(height);
        text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tutti\" role=\"img\" viewBox=\"0 0 " + size + "\"" +
                attributes({{"width", number(width)}, {"height", number(height)}}) + ">\n";
        text_ += element("title", escaped(title)) + "\n" + element("desc", escaped(description)) + "\n";
        text_ += element("style", "\n" + style_sheet() + std::string(more_rules)) + "\n<defs>";
        for (std::size_t k = 0; k <= hues; ++k) text_ += arrow_head(k);
        text_ += "</defs>\n";
        rectangle({0, 0}, width, height, "paper");
    }

    void rectangle(point corner, double width, double height, std::string_view style, std::string_view told = {}) {
        add("rect",
            {{"class", style},
             {"x", number(corner.x)},
             {"y", number(corner.y)},
             {"width", number(width)},
             {"height", number(height)}},
            told.empty() ? "" : element("title", escaped(told)));
    }
    void line(point a, point b, std::string_view style, std::string_view told = {}) {
        const std::string way = "M" + number(a.x) + " " + number(a.y) + "L" + number(b.x) + " " + number(b.y);
        add("path", {{"class", style}, {"d", way}}, told.empty() ? "" : element("title", escaped(told)));
    }
    void circle(point centre, double radius, std::string_view style, std::string_view told = {}) {
        add("circle", {{"class", style}, {"cx", number(centre.x)}, {"cy", number(centre.y)}, {"r", number(radius)}},
            told.empty() ? "" : element("title", escaped(told)));
    }
    /// `anchor` is start, middle or end: which part of the line is at that place.
    void write(point at, std::string_view words, std::string_view style, std::string_view anchor = "start") {
        add("text", {{"class", style}, {"x", number(at.x)}, {"y", number(at.y)}, {"text-anchor", anchor}},
            escaped(words));
    }

    [[nodiscard]] std::string finish() && { return std::move(text_) + "</svg>\n"; }

private:
    using attribute = std::pair<std::string_view, std::string_view>;

    /// With at most one digit behind the point, in every locale.
    [[nodiscard]] static std::string number(double x) {
        const long tenths = std::lround(x * 10);
        const std::string whole = (tenths < 0 ? "-" : "") + std::to_string(std::abs(tenths) / 10);
        return tenths % 10 == 0 ? whole : whole + "." + std::to_string(std::abs(tenths) % 10);
    }
    [[nodiscard]] static std::string escaped(std::string_view words) {
        std::string safe;
        for (const char c : words) {
            if (c == '&')
                safe += "&amp;";
            else if (c == '<')
                safe += "&lt;";
            else if (c == '>')
                safe += "&gt;";
            else
                safe += c;
        }
        return safe;
    }
    [[nodiscard]] static std::string attributes(std::initializer_list<attribute> list) {
        std::string text;
        for (const auto& [name, value] : list) text.append(" ").append(name).append("=\"").append(value).append("\"");
        return text;
    }
    [[nodiscard]] static std::string element(std::string_view name, std::string_view content) {
        return "<" + std::string(name) + ">" + std::string(content) + "</" + std::string(name) + ">";
    }
    void add(std::string_view name, std::initializer_list<attribute> list, std::string_view content = {}) {
        text_.append("<").append(name).append(attributes(list));
        if (content.empty())
            text_ += "/>\n";
        else
            text_.append(">").append(content).append("</").append(name).append(">\n");
    }

    std::string text_;
};

} // namespace tutti::schedule::draw::detail

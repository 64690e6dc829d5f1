// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::schedule::draw::detail {

/// Colours of strokes and fills. The last is a grey, which stands for all of them; `hues` are the others.
inline constexpr std::size_t hues = 8;
struct palette {
    std::string_view paper, ink, faint, band, line;
    std::array<std::string_view, hues + 1> colours;
};
inline constexpr palette light{
    "#ffffff", "#1f2328",
    "#59636e", "#eef1f5",
    "#8c959f", {"#0b62b0", "#c4480a", "#14803c", "#b02a7c", "#6b4fc0", "#8a6a00", "#00808e", "#7a4a30", "#59636e"}};
inline constexpr palette dark{
    "#0d1117", "#e6edf3",
    "#9198a1", "#171d26",
    "#6e7681", {"#6cb6ff", "#ff9d5c", "#5fd38d", "#f58cc8", "#b9a3ff", "#e3c352", "#4fd5e0", "#d0a98c", "#9198a1"}};

/// The rules that depend on the colours.
[[nodiscard]] inline std::string rules_of(const palette& p) {
    std::string rules;
    const auto rule = [&](std::string_view name, std::string_view property, std::string_view value) {
        rules.append(".tutti .").append(name).append("{").append(property).append(":").append(value).append("}");
    };
    rule("paper", "fill", p.paper);
    rule("ink", "fill", p.ink);
    rule("faint", "fill", p.faint);
    rule("band", "fill", p.band);
    rule("line", "stroke", p.line);
    rule("halo", "stroke", p.paper);
    rules += "\n";
    for (std::size_t k = 0; k < p.colours.size(); ++k) {
        rule("c" + std::to_string(k), "stroke", p.colours[k]);
        rule("f" + std::to_string(k), "fill", p.colours[k]);
    }
    return rules + "\n";
}

/// All rules are below `.tutti`, as such a picture may stand in a page with others; and the class of an element says
/// all about it, so that each arrow is short.
[[nodiscard]] inline std::string style_sheet() {
    std::string rules = ".tutti{font:11px system-ui,sans-serif}.tutti .small{font-size:9px}"
                        ".tutti .bold{font-size:14px;font-weight:600}"
                        ".tutti .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}"
                        ".tutti path{fill:none;stroke-width:1.5}.tutti .dashed{stroke-dasharray:4 2.5}\n";
    for (std::size_t k = 0; k <= hues; ++k)
        rules += ".tutti .c" + std::to_string(k) + "{marker-end:url(#tutti-head-" + std::to_string(k) + ")}";
    return rules + "\n" + rules_of(light) + "@media (prefers-color-scheme:dark){\n" + rules_of(dark) + "}\n";
}

/// The arrow head of lines in the k-th colour.
[[nodiscard]] inline std::string arrow_head(std::size_t k) {
    const std::string number = std::to_string(k);
    return "<marker id=\"tutti-head-" + number +
           "\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"5.5\" markerHeight=\"5.5\" "
           "orient=\"auto\"><path class=\"f" +
           number + "\" d=\"M0 0L8 4L0 8z\"/></marker>";
}

} // namespace tutti::schedule::draw::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr std::size_t curve_columns = 64, curve_rows = 8;

/// Dots in a raster of characters.
class dot_canvas {
public:
    explicit dot_canvas(curve_style style)
        : wide_(style == curve_style::braille ? 2 : 1), high_(style == curve_style::braille ? 4 : 1) {}

    [[nodiscard]] std::size_t width() const noexcept { return curve_columns * wide_; }
    [[nodiscard]] std::size_t height() const noexcept { return curve_rows * high_; }
    /// (0, 0) is at the left, below.
    void dot(std::size_t x, std::size_t y) {
        const std::size_t down = height() - 1 - y;
        // The bits of a Braille character of Unicode, by column and row.
        constexpr std::array<std::array<unsigned, 4>, 2> bits{{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
        cells_[down / high_][x / wide_] |= bits[x % wide_][down % high_];
    }
    [[nodiscard]] std::string line(std::size_t row) const {
        std::string text;
        for (const unsigned cell : cells_[row]) text += wide_ == 1 ? (cell ? "*" : " ") : braille(cell);
        return text;
    }

private:
    [[nodiscard]] static std::string braille(unsigned cell) {
        if (cell == 0) return " ";
        return {'\xe2', static_cast<char>(0xa0 | cell >> 6), static_cast<char>(0x80 | (cell & 0x3f))}; // U+2800 + cell
    }

    std::size_t wide_, high_;
    std::array<std::array<unsigned, curve_columns>, curve_rows> cells_{};
};

/// Where a value is between two others, as a number below `count`.
std::size_t place_between(double value, double least, double most, std::size_t count) {
    const double share = most > least ? (value - least) / (most - least) : 0.5;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(count - 1)));
}

/// The mean of the points in each column of dots, so that many points are a curve and not a cloud.
std::vector<curve_point> by_column(std::span<const curve_point> points, std::size_t count) {
    std::vector<curve_point> means;
    std::size_t in_last = 0, last = 0;
    for (const curve_point& p : points) {
        const std::size_t at = place_between(p.x, points.front().x, points.back().x, count);
        if (in_last == 0 || at != last) {
            means.push_back({static_cast<double>(at), 0});
            in_last = 0;
        }
        last = at;
        ++in_last;
        means.back().y += (p.y - means.back().y) / static_cast<double>(in_last);
    }
    return means;
}

} // namespace

curve_style style_of_locale() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* const value = std::getenv(name);
        if (!value || !*value) continue;
        const std::string locale = value;
        const bool is_utf8 = locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
        return is_utf8 ? curve_style::braille : curve_style::ascii;
    }
    return curve_style::ascii;
}

std::string curve(std::string_view title, std::string_view x_title, std::span<const curve_point> points,
                  curve_style style) {
    dot_canvas dots(style);
    const std::vector<curve_point> means = by_column(points, dots.width());
    const auto [least, most] = std::ranges::minmax(means, {}, &curve_point::y);
    const auto dot = [&](double x, double y) {
        dots.dot(static_cast<std::size_t>(std::lround(x)), place_between(y, least.y, most.y, dots.height()));
    };
    dot(means.front().x, means.front().y);
    for (std::size_t i = 1; i < means.size(); ++i) {
        const curve_point &from = means[i - 1], &to = means[i];
        const std::size_t pieces = dots.width() + dots.height(); // so many that no dot is left out
        for (std::size_t k = 1; k <= pieces; ++k) {
            const double share = static_cast<double>(k) / static_cast<double>(pieces);
            dot(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
        }
    }
    std::string text = fmt::format("{}\n", title);
    for (std::size_t row = 0; row < curve_rows; ++row) {
        const std::string label = row == 0                ? fmt::format("{:.4g}", most.y)
                                  : row + 1 == curve_rows ? fmt::format("{:.4g}", least.y)
                                                          : "";
        text += fmt::format("{:>9} |{}\n", label, dots.line(row));
    }
    const std::string begin = fmt::format("{:.4g}", points.front().x),
                      end = fmt::format("{:.4g} {}", points.back().x, x_title);
    return text + fmt::format("{:>9} +{:-<{}}\n{:>9}  {:<{}}{}\n", "", "", curve_columns, "", begin,
                              curve_columns - end.size(), end);
}

} // namespace tutti::tools

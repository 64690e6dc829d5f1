// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tutti::tools {

struct curve_point {
    double x = 0;
    double y = 0;
};

/// What a curve is drawn with.
enum class curve_style : std::uint8_t {
    ascii,   ///< a star a character
    braille, ///< two by four dots a character, in UTF-8
};

/// Braille where the environment's locale is one of UTF-8.
[[nodiscard]] curve_style style_of_locale();

/// A curve as lines of text below its title, with the least and the most of both axes. Points come by their x; there
/// is at least one, and all are finite.
[[nodiscard]] std::string curve(std::string_view title, std::string_view x_title, std::span<const curve_point> points,
                                curve_style style);

} // namespace tutti::tools

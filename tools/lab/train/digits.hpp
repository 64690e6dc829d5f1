// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/random.hpp"
#include "dataset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

/// Handwriting for machines without a data set: digits as strokes, each drawn with its own slant, size, place, wobble,
/// pen and dirt. The same seed gives the same pictures everywhere.
namespace tutti::tools {

inline constexpr std::size_t digit_edge = 28; ///< pixels, as in MNIST

namespace detail {

struct point {
    double x = 0, y = 0; // in the unit square, y downwards
};
using stroke = std::vector<point>;

/// Part of an ellipse, angles in degrees clockwise from the right.
inline stroke arc(point centre, double rx, double ry, double from, double to) {
    constexpr int pieces = 10;
    stroke s;
    for (int i = 0; i <= pieces; ++i) {
        const double angle = (from + (to - from) * i / pieces) * std::numbers::pi / 180;
        s.push_back({centre.x + rx * std::cos(angle), centre.y + ry * std::sin(angle)});
    }
    return s;
}

inline stroke joined(stroke a, const stroke& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

inline const std::array<std::vector<stroke>, 10>& glyphs() {
    static const std::array<std::vector<stroke>, 10> all{{
        {arc({.5, .5}, .27, .4, 0, 360)},
        {{{.36, .28}, {.53, .1}, {.53, .9}}},
        {joined(arc({.5, .33}, .25, .23, 190, 400), {{.25, .9}, {.78, .9}})},
        {joined(arc({.47, .3}, .24, .2, 200, 440), arc({.47, .7}, .28, .2, 280, 520))},
        {{{.63, .9}, {.63, .1}, {.2, .63}, {.83, .63}}},
        {joined({{.75, .1}, {.34, .1}, {.3, .46}}, arc({.48, .65}, .28, .25, 230, 500))},
        {joined({{.68, .1}, {.42, .32}}, arc({.5, .67}, .24, .23, 205, 565))},
        {{{.22, .1}, {.78, .1}, {.42, .9}}, {{.36, .5}, {.66, .5}}},
        {arc({.5, .3}, .2, .2, 90, 450), arc({.5, .7}, .25, .2, 270, 630)},
        {joined(arc({.5, .33}, .23, .23, 360, 0), {{.73, .33}, {.62, .9}})},
    }};
    return all;
}

/// One hand: how the points of a glyph come to lie on the paper, and the pen.
struct hand {
    explicit hand(random_source& random) {
        const double turn = random.between(-.24, .24), slant = random.between(-.3, .3);
        const double wide = random.between(13, 21), high = random.between(15, 22);
        xx = wide * std::cos(turn);
        xy = high * (slant - std::sin(turn));
        yx = wide * std::sin(turn);
        yy = high * std::cos(turn);
        x = digit_edge / 2. + random.between(-2.5, 2.5);
        y = digit_edge / 2. + random.between(-2.5, 2.5);
        wave = random.between(0, .06);
        phase = random.between(0, 2 * std::numbers::pi);
        pen = random.between(.7, 1.6);
    }
    [[nodiscard]] point at(point p) const {
        const double px = p.x - .5 + wave * std::sin(7 * p.y + phase), py = p.y - .5 + wave * std::sin(6 * p.x + phase);
        return {x + xx * px + xy * py, y + yx * px + yy * py};
    }

    double xx, xy, yx, yy, x, y; // pixels
    double wave, phase;          // of the unit square, radians
    double pen;                  // half the width of the line, pixels
};

inline double distance(point p, point a, point b) {
    const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
    const double along = length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0., 1.) : 0;
    return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

/// Darkens the pixels that a line from a to b touches.
inline void draw(std::uint8_t* image, point a, point b, double pen) {
    const auto pixel = [](double v) { return static_cast<std::size_t>(std::clamp(v, 0., digit_edge - 1.)); };
    const std::size_t left = pixel(std::min(a.x, b.x) - pen - 1), right = pixel(std::max(a.x, b.x) + pen + 1);
    const std::size_t top = pixel(std::min(a.y, b.y) - pen - 1), bottom = pixel(std::max(a.y, b.y) + pen + 1);
    for (std::size_t row = top; row <= bottom; ++row)
        for (std::size_t column = left; column <= right; ++column) {
            const point centre{static_cast<double>(column) + .5, static_cast<double>(row) + .5};
            const double ink = std::clamp(pen + .5 - distance(centre, a, b), 0., 1.);
            std::uint8_t& value = image[row * digit_edge + column];
            value = std::max(value, static_cast<std::uint8_t>(255 * ink));
        }
}

/// Specks of dirt and gaps in the ink, on one pixel in twenty.
inline void soil(std::uint8_t* image, random_source& random) {
    constexpr std::size_t specks = digit_edge * digit_edge / 20;
    for (std::size_t i = 0; i < specks; ++i)
        image[random.below(digit_edge * digit_edge)] = static_cast<std::uint8_t>(random.below(256));
}

} // namespace detail

/// Draws picture `number` of the set that `seed` names onto `image`, digit_edge squared black pixels.
inline void draw_digit(std::uint8_t* image, unsigned digit, std::uint64_t seed, std::uint64_t number) {
    random_source random{mix(seed, number)};
    const detail::hand hand{random};
    for (const detail::stroke& s : detail::glyphs()[digit])
        for (std::size_t i = 1; i < s.size(); ++i) detail::draw(image, hand.at(s[i - 1]), hand.at(s[i]), hand.pen);
    detail::soil(image, random);
}

/// A share of a set of `count` pictures, digits mixed.
[[nodiscard]] inline dataset draw_digits(std::size_t count, std::uint64_t seed, share part = {}) {
    dataset set;
    set.pixels = digit_edge * digit_edge;
    set.images.resize(size_of(part, count) * set.pixels);
    for (std::size_t i = part.part; i < count; i += part.parts) {
        // Not i % 10: with a number of ranks that shares a factor with ten, no rank would see all digits.
        const auto digit = static_cast<unsigned>(mix(seed + 1, i) % 10);
        draw_digit(set.images.data() + set.size() * set.pixels, digit, seed, i);
        set.labels.push_back(static_cast<std::uint8_t>(digit));
    }
    return set;
}

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace tutti::training::sandblaster {

/// A point on a line of search.
struct line_point {
    double step = 0;  ///< how far along the direction
    double value = 0; ///< of the objective
    double slope = 0; ///< its derivative along the direction
};

/// When a step is good enough.
struct line_search {
    double decrease = 1e-4; ///< Armijo: the value falls by this share of what the first slope promises
    double curvature = 0.9; ///< Wolfe: the slope is at least this share of the first one, which is negative
    int most = 20;          ///< evaluations
};

namespace detail {

/// Between two steps of which the second fails to decrease the value: where a parabola through the first one's value
/// and slope and the second one's value is least, kept away from both ends.
[[nodiscard]] inline double least_of_parabola(const line_point& low, const line_point& high) {
    const double width = high.step - low.step;
    const double bend = high.value - low.value - low.slope * width;
    const double at = bend > 0 ? -low.slope * width / (2 * bend) : 0.5;
    return low.step + width * (std::isfinite(at) ? std::clamp(at, 0.1, 0.9) : 0.5);
}

} // namespace detail

/// A step that fulfils the conditions of Armijo and Wolfe: the value falls enough, and the slope rises enough.
/// `evaluate(step)` gives a line_point; the last one that it was asked for is the one that is returned. None after
/// options.most evaluations, or where the value is NaN or infinite at each.
///
/// Steps double until the value fails to fall; then the bracket shrinks. Source: Lewis and Overton, Nonsmooth
/// optimization via quasi-Newton methods, Mathematical Programming 2013, with an interpolation as in Nocedal and
/// Wright, Numerical Optimization, 2006, section 3.5.
template <class Evaluate>
[[nodiscard]] std::optional<line_point> search_line(const line_point& begin, double first, const Evaluate& evaluate,
                                                    const line_search& options = {}) {
    line_point low = begin;
    std::optional<line_point> high;
    double step = first;
    for (int tried = 0; tried < options.most; ++tried) {
        const line_point at = evaluate(step);
        const bool falls = at.value <= begin.value + options.decrease * step * begin.slope; // false for NaN
        if (falls && at.slope >= options.curvature * begin.slope) return at;
        if (falls)
            low = at;
        else
            high = at;
        step = high ? detail::least_of_parabola(low, *high) : 2 * step;
    }
    return {};
}

} // namespace tutti::training::sandblaster

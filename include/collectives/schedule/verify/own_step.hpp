// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../in_words.hpp"
#include "../program.hpp"

#include "../../../base/language.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::schedule {

/// A step as its author knows it: numbered from 0 as the algorithm has emitted it, and not cut into segments.
struct own_step {
    int number = -1;      ///< -1: there is none
    step what{};          ///< the step as it was emitted
    int segment = 0;      ///< the segment that the flaw is in
    int segments = 1;     ///< into how many segments the step was cut
    bool library = false; ///< the library's own, before the algorithm's
    bool is_half = false; ///< counted within one half of an allreduce, which is `half`
    operation half{};     ///< see `is_half`
};

namespace detail {

/// A step of segment `d` as it was before it was cut.
[[nodiscard]] constexpr step uncut(step s, int d, int segments) {
    const auto first = [&](const place& x) {
        return static_cast<int>((x.first - std::int64_t{d} * x.count) / segments);
    };
    if (reads_from(s)) s.from.first = first(s.from);
    if (writes_to(s)) s.to.first = first(s.to);
    return s;
}

/// The number of step i and its segment, counted from step `first` on: of each message there are its first slices, then
/// the second ones, and so on.
[[nodiscard]] constexpr std::pair<int, int> uncut_number(const std::vector<step>& steps, int first, int i,
                                                         int segments) {
    int number = 0;
    for (;;) {
        const auto parts = static_cast<int>(parts_from(steps, static_cast<std::size_t>(first)));
        if (i - first < parts * segments) return {number + (i - first) % parts, (i - first) / parts};
        first += parts * segments;
        number += parts;
    }
}

/// Step i of a rank, which must be one of the program's.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR own_step own_step_of(const program& p, int rank, int i) {
    const auto r = static_cast<std::size_t>(rank);
    part mine{p.what};
    if (r < p.parts.size())
        for (const part& x : p.parts[r])
            if (x.first <= i) mine = x;
    const auto [number, d] = uncut_number(p.ranks[r], mine.first, i, p.segments);
    return {number,
            uncut(p.ranks[r][static_cast<std::size_t>(i)], d, p.segments),
            d,
            p.segments,
            mine.library,
            mine.of != p.what,
            mine.of};
}

} // namespace detail

/// "step 3 (send chunks 0-1 of output to rank 3)".
[[nodiscard]] inline std::string in_words(const own_step& s) {
    std::string text = s.library ? "before its first step" : "step " + std::to_string(s.number);
    if (s.is_half && !s.library) text.append(" of the ").append(name_of(s.half));
    text.append(" (").append(in_words(s.what));
    if (s.segments > 1) text += ", segment " + std::to_string(s.segment + 1) + " of " + std::to_string(s.segments);
    return text + ")";
}

} // namespace tutti::schedule

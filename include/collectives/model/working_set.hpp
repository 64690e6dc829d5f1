// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "counts/cut.hpp"
#include "counts/symmetry.hpp"
#include "machine.hpp"
#include "rank_nodes.hpp"

#include "../schedule/lowering/pack.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::model {

/// The memory that a call works in on the first node: inputs, outputs and scratch of its ranks. Walks their steps, or,
/// where the schedule rotates, those of one rank.
[[nodiscard]] inline double working_set_bytes(const collective& c, const rank_nodes& nodes) {
    using schedule::buffer;
    const detail::cut cut(c);
    const int chunks = c.how.chunks(c.what, c.size) * c.segments, ranks = nodes.ranks_on_first(c.size);
    const int walked = c.how.steps_rotate(c.what) ? 1 : ranks;
    double bytes = 0;
    std::vector<schedule::step> steps;
    for (int r = 0; r < walked; ++r) {
        const schedule::position at{nodes.on_first(r), c.size, c.root, c.in_place};
        const auto of = [&](buffer b) {
            return static_cast<double>(cut.bytes(schedule::window(c.what, at, b, chunks)));
        };
        bytes += c.in_place ? std::max(of(buffer::input), of(buffer::output)) : of(buffer::input) + of(buffer::output);
        steps.clear();
        c.how.walk(c.what, at, c.segments, steps);
        const auto windows = schedule::scratch_windows_packed(steps);
        for (std::size_t b = 2; b < windows.size(); ++b) bytes += static_cast<double>(cut.bytes(windows[b]));
    }
    return bytes / walked * ranks;
}

/// The machine as a call finds it that works in so much memory: of what it touches again and again, as large a share
/// misses the caches as does not fit into them.
[[nodiscard]] constexpr machine with_misses(machine m, double working_set) noexcept {
    if (m.cache_bytes <= 0 || working_set <= m.cache_bytes) return m;
    const double more = (1 - m.cache_bytes / working_set) * m.miss_s_per_byte;
    for (link* between : {&m.near, &m.far})
        for (price_range& s : between->ranges) {
            s.cost.overhead_s_per_byte += more;
            s.cost.gamma_s_per_byte += more;
            s.cost.copy_s_per_byte += more;
        }
    return m;
}

} // namespace tutti::model

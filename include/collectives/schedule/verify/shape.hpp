// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fault.hpp"

namespace tutti::schedule::detail {

/// Checks a step without running it.
[[nodiscard]] constexpr finding shape_of(const program& p, int rank, int i) {
    const step& s = p.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)];
    const position here = p.at(rank);
    const auto bad = [&](flaw what, int chunk = -1) { return finding{what, rank, i, s.peer, -1, chunk}; };
    if (communicates(s) && (s.peer < 0 || s.peer >= p.size || s.peer == rank)) return bad(flaw::bad_peer);
    if (reduces(s) && !reduces(p.what)) return bad(flaw::no_operator);
    const auto outside = [&](place x) {
        const bool users = x.where == buffer::input || x.where == buffer::output;
        chunk_window range = users ? window(p.what, here, x.where, p.chunks) : chunk_range{0, p.chunks};
        if (p.in_place && x.where == buffer::input && range.count() == 0) range = {}; // nothing there
        return x.count < 1 || !range.holds(x);
    };
    if (writes_to(s) && s.to.where == buffer::input) return bad(flaw::writes_input, s.to.first);
    if (s.what == action::reduce_many && (s.extra < 1 || s.extra >= most_operands)) return bad(flaw::bad_operands);
    for (int k = 0; k < sources(s); ++k)
        if (outside(source(s, k))) return bad(flaw::bad_place, s.from.first);
    if (writes_to(s) && outside(s.to)) return bad(flaw::bad_place, s.to.first);
    if (reads_from(s) && writes_to(s) && (s.from.first != s.to.first || s.from.count != s.to.count))
        return bad(flaw::relabels, s.from.first);
    return {};
}

[[nodiscard]] constexpr bool is_program(const program& p) noexcept {
    // told() asks misfit again, for the number that does not fit.
    return misfit(p).what == flaw::none;
}

[[nodiscard]] constexpr finding shapes_of(const program& p) {
    if (!is_program(p)) return {flaw::bad_program};
    for (int rank = 0; rank < p.size; ++rank)
        for (int i = 0; i < static_cast<int>(p.ranks[static_cast<std::size_t>(rank)].size()); ++i)
            if (const finding f = shape_of(p, rank, i); f.what != flaw::none) return f;
    return {};
}

} // namespace tutti::schedule::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "fault.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::schedule::detail {

/// Checks a step without running it.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR finding shape_of(const program& p, int rank, int i) {
    const step& s = p.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)];
    const position here = p.at(rank);
    const auto bad = [&](flaw what, int chunk = -1) { return finding{what, rank, i, s.peer, -1, chunk}; };
    if (communicates(s) && (s.peer < 0 || s.peer >= p.size || s.peer == rank)) return bad(flaw::bad_peer);
    if (reduces(s) && !reduces(p.what)) return bad(flaw::no_operator);
    const auto looked_at = [&](place x) {
        const bool users = x.where == buffer::input || x.where == buffer::output;
        chunk_window range = users ? window(p.what, here, x.where, p.chunks) : chunk_range{0, p.chunks};
        if (p.in_place && x.where == buffer::input && range.count() == 0) range = {}; // nothing there
        if (x.count < 1) return bad(flaw::no_chunks);
        if (range.holds(x)) return finding{};
        int k = 0;
        while (k < x.count && range.holds({x.where, x.first + k, 1})) ++k;
        return bad(flaw::bad_place, x.first + (k < x.count ? k : 0));
    };
    if (writes_to(s) && s.to.where == buffer::input) return bad(flaw::writes_input, s.to.first);
    if (s.what == action::reduce_many && (s.extra < 1 || s.extra >= most_operands)) return bad(flaw::bad_operands);
    for (int k = 0; k < sources(s); ++k)
        if (const finding f = looked_at(source(s, k)); f.what != flaw::none) return f;
    if (writes_to(s))
        if (const finding f = looked_at(s.to); f.what != flaw::none) return f;
    if (reads_from(s) && writes_to(s) && (s.from.first != s.to.first || s.from.count != s.to.count))
        return bad(flaw::relabels, s.from.first);
    return {};
}

/// Whether step i may be joined to the next one, as it says.
[[nodiscard]] TUTTI_CONSTEXPR bool joins_well(const std::vector<step>& steps, std::size_t i) {
    const step& s = steps[i];
    return communicates(s) && i + 1 < steps.size() && communicates(steps[i + 1]) && steps[i + 1].peer == s.peer &&
           sends(steps[i + 1]) == sends(s);
}

/// Memory that a part of a message reads or writes.
struct part_access {
    buffer memory;
    int first, last, part;
    friend constexpr bool operator<(const part_access& a, const part_access& b) {
        return a.memory != b.memory ? a.memory < b.memory : a.first < b.first;
    }
};

/// Whether a part uses what another part of the same received message writes. Only an operation that reduces has parts
/// that read, and in its windows equal chunks of input and output are the same memory in place.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR finding parts_depend(const program& p, int rank, int first, int parts) {
    const std::vector<step>& steps = p.ranks[static_cast<std::size_t>(rank)];
    std::vector<part_access> written;
    const auto access = [&](const place& x, int i) {
        const bool shared = p.in_place && x.where == buffer::input;
        return part_access{shared ? buffer::output : x.where, x.first, x.first + x.count, i};
    };
    for (int i = first; i < first + parts; ++i) written.push_back(access(steps[static_cast<std::size_t>(i)].to, i));
    std::sort(written.begin(), written.end());
    for (std::size_t k = 1; k < written.size(); ++k)
        if (const part_access &a = written[k - 1], &b = written[k]; a.memory == b.memory && b.first < a.last)
            return {flaw::parts_depend, rank, std::max(a.part, b.part), rank, std::min(a.part, b.part)};
    for (int i = first; i < first + parts; ++i) {
        if (!reads_from(steps[static_cast<std::size_t>(i)])) continue;
        const part_access read = access(steps[static_cast<std::size_t>(i)].from, i);
        auto w = std::lower_bound(written.begin(), written.end(), read);
        if (w != written.begin()) --w; // it may reach into what is read
        for (; w != written.end() && (w->memory < read.memory || (w->memory == read.memory && w->first < read.last));
             ++w)
            if (w->memory == read.memory && w->last > read.first && w->part != i)
                return {flaw::parts_depend, rank, i, rank, w->part};
    }
    return {};
}

/// Checks the messages of several parts.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR finding joins_of(const program& p, int rank) {
    const std::vector<step>& steps = p.ranks[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].joined && !joins_well(steps, i)) return {flaw::bad_join, rank, static_cast<int>(i), steps[i].peer};
    for (std::size_t i = 0; i < steps.size(); i += parts_from(steps, i))
        if (steps[i].joined && receives(steps[i]))
            if (const finding f = parts_depend(p, rank, static_cast<int>(i), static_cast<int>(parts_from(steps, i)));
                f.what != flaw::none)
                return f;
    return {};
}

[[nodiscard]] constexpr bool is_program(const program& p) noexcept {
    // told() asks misfit again, for the number that does not fit.
    return misfit(p).what == flaw::none;
}

[[nodiscard]] constexpr finding shapes_of(const program& p) {
    if (!is_program(p)) return {flaw::bad_program};
    for (int rank = 0; rank < p.size; ++rank) {
        bool joins = false;
        for (int i = 0; i < static_cast<int>(p.ranks[static_cast<std::size_t>(rank)].size()); ++i) {
            if (const finding f = shape_of(p, rank, i); f.what != flaw::none) return f;
            joins = joins || p.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)].joined;
        }
        if (!joins) continue;
        if (const finding f = joins_of(p, rank); f.what != flaw::none) return f;
    }
    return {};
}

} // namespace tutti::schedule::detail

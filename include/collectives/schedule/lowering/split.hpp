// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../operation.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <vector>

namespace tutti::schedule {

/// The user's buffers whose parts do not lie one after the other.
struct displaced_buffers {
    bool input = false, output = false;

    [[nodiscard]] constexpr bool any() const noexcept { return input || output; }
    [[nodiscard]] constexpr bool has(buffer b) const noexcept {
        return b == buffer::input ? input : b == buffer::output && output;
    }
    friend constexpr bool operator==(const displaced_buffers&, const displaced_buffers&) = default;
};

/// How many chunk ids a part has that lies in one range of memory.
[[nodiscard]] constexpr int part_width(operation what, int size, int chunks) noexcept {
    return chunks / parts_of(what, size);
}

/// The steps of one rank, none of which works on two parts of a displaced buffer: a step that would becomes several,
/// a message one of several parts. Messages keep their bytes, so peers may have theirs as they were. Whatever is proven
/// stays so: local steps become shorter, and a message waits for what it has waited for. Linear in steps.
/// Precondition: the steps have been checked.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR std::vector<step>
split_at_parts(operation what, int size, int chunks, const displaced_buffers& displaced, std::vector<step> steps) {
    const int width = part_width(what, size, chunks);
    std::vector<step> made;
    made.reserve(steps.size());
    for (const step& s : steps) {
        bool touches = writes_to(s) && displaced.has(s.to.where);
        for (int k = 0; k < sources(s); ++k) touches = touches || displaced.has(source(s, k).where);
        const place x = writes_to(s) ? s.to : s.from;
        for (int first = x.first, count = 0, left = x.count; left > 0; first += count, left -= count) {
            count = touches ? std::min(left, width - first % width) : left;
            step piece = s;
            if (reads_from(s)) piece.from = {s.from.where, first, count};
            if (writes_to(s)) piece.to = {s.to.where, first, count};
            piece.joined = s.joined || (communicates(s) && count < left);
            made.push_back(piece);
        }
    }
    return made;
}

} // namespace tutti::schedule

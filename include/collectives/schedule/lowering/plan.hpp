// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "answers.hpp"
#include "cut.hpp"
#include "order.hpp"

#include <cstddef>
#include <vector>

namespace tutti::schedule {

/// One rank's schedule, ready to run: plain data, independent of count, element and operator. Parts of a message lie
/// one after the other in memory.
struct plan {
    operation what = operation::allreduce;
    position where{};
    int base_chunks = 1; ///< how many chunks the algorithm cuts the data into; each becomes `segments` chunks
    int segments = 1;
    std::vector<step> steps; ///< `peer` is an index into `peers`
    order dependencies;
    std::size_t starts = 0;            ///< the steps that are started: all but further parts of messages
    std::vector<std::uint32_t> ready;  ///< the steps that wait for nothing
    std::vector<int> peers;            ///< ranks, each once, in order of first use
    std::vector<chunk_window> windows; ///< by index_of(buffer): the chunk ids that the buffer holds on this rank
    answers answered{};                ///< messages that may bring no data

    [[nodiscard]] int chunks() const noexcept { return base_chunks * segments; }
    /// How `count` elements are cut, or parts of these lengths.
    [[nodiscard]] layout cut(std::size_t count, const part_lengths* lengths = nullptr) const noexcept {
        return cut_of(what, where.size, base_chunks, segments, count, lengths);
    }
    /// The scratch memory that a run needs, in elements.
    [[nodiscard]] std::size_t scratch_elements(const layout& cut) const noexcept {
        std::size_t sum = 0;
        for (std::size_t b = 2; b < windows.size(); ++b) sum += elements_of(cut, windows[b]);
        return sum;
    }
};

/// Makes the plan of one rank from its steps, which must be packed. Linear in steps and chunks.
TUTTI_COLD [[nodiscard]] inline plan compile(operation what, const position& where, int base_chunks, int segments,
                                             std::vector<step> steps) {
    plan p{what, where, base_chunks, segments, std::move(steps), {}, 0, {}, {}, {}, {}};
    p.dependencies = order_of(what, where, p.chunks(), p.steps, where.size);
    p.windows = windows_of(what, where, p.chunks(), p.steps);
    if (what == operation::allreduce)
        p.answered = answers(p.steps, where.size, p.chunks(), where.in_place, p.dependencies.viewed);
    std::vector<int> index(static_cast<std::size_t>(where.size), -1);
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        step& s = p.steps[i];
        if (leads(p.steps, i)) ++p.starts;
        if (!communicates(s)) continue;
        int& at = index[static_cast<std::size_t>(s.peer)];
        if (at < 0) {
            at = static_cast<int>(p.peers.size());
            p.peers.push_back(s.peer);
        }
        s.peer = at;
    }
    for (std::size_t i = 0; i < p.steps.size(); ++i)
        if (p.dependencies.waits[i] == 0) p.ready.push_back(static_cast<std::uint32_t>(i));
    return p;
}

} // namespace tutti::schedule

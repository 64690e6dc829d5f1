// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../program.hpp"
#include "cells.hpp"
#include "places.hpp"
#include "views.hpp"

#include "../../../base/language.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::schedule {

/// The order of one rank's steps. There are two kinds:
/// - data: steps on overlapping places run in program order, each after the *completion* of the former (read after
///   write, write after read, write after write);
/// - channel: sends to one peer, and receives from one peer, *start* in program order.
/// Nothing else is ordered, so independent chunks overlap by themselves.
///
/// What joined parts read and write, their first part does. The others wait for one start that nothing gives them.
struct order {
    /// By step: how many events it waits for: completions of earlier steps, and at most one start on its channel.
    std::vector<std::uint32_t> waits;
    std::vector<std::uint32_t> first;     ///< followers of step i: followers[first[i]] to followers[first[i + 1]]
    std::vector<std::uint32_t> followers; ///< the steps that wait for the completion of a step
    std::vector<int> next_on_channel;     ///< by step: the next send to, or receive from, the same peer; -1: none
    views viewed; ///< receives that may be read in place; their sends complete once they are read

    /// The steps that wait for the completion of step i.
    [[nodiscard]] TUTTI_CONSTEXPR std::span<const std::uint32_t> followers_of(std::uint32_t i) const {
        return {followers.data() + first[i], followers.data() + first[i + 1]};
    }
};

namespace detail {

/// The last writer of each cell of each buffer, and the steps that have read it since.
class accesses {
public:
    TUTTI_CONSTEXPR accesses(const std::vector<step>& steps, int cells, bool in_place)
        : numbers_(steps, cells, in_place), in_place_(in_place), writer_(numbers_.size(), -1),
          readers_(numbers_.size(), -1) {}

    constexpr void read(place x, int by, auto&& after) {
        if (x.where == buffer::input && !in_place_) return; // never written
        for_each(x, [&](std::size_t at) {
            if (writer_[at] >= 0) after(writer_[at]);
            links_.push_back({by, readers_[at]});
            readers_[at] = static_cast<int>(links_.size()) - 1;
        });
    }
    constexpr void write(place x, int by, auto&& after) {
        for_each(x, [&](std::size_t at) {
            if (writer_[at] >= 0) after(writer_[at]);
            for (int link = readers_[at]; link >= 0; link = links_[static_cast<std::size_t>(link)].second)
                if (const int reader = links_[static_cast<std::size_t>(link)].first; reader != by) after(reader);
            readers_[at] = -1;
            writer_[at] = by;
        });
    }

private:
    constexpr void for_each(place x, auto&& visit) const {
        const std::size_t first = numbers_.of(x.where, x.first);
        for (int k = 0; k < x.count; ++k) visit(first + static_cast<std::size_t>(k));
    }

    place_numbers numbers_;
    bool in_place_;
    std::vector<int> writer_;                // per place, -1 none
    std::vector<int> readers_;               // per place: head of a list in links_, -1 none
    std::vector<std::pair<int, int>> links_; // (reader, next)
};

/// order_of for steps whose places are in cells.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR order order_of_cells(const std::vector<step>& steps, int size, int cells,
                                                              bool in_place) {
    const std::size_t n = steps.size();
    order o;
    o.waits.assign(n, 0);
    o.first.assign(n + 1, 0);
    o.next_on_channel.assign(n, -1);
    o.viewed = views(steps, cells, in_place);
    std::vector<std::pair<int, int>> edges; // (before, after)
    std::vector<int> seen(n, -1);           // the last step that was made to follow this one
    std::vector<int> last(2 * static_cast<std::size_t>(size), -1);
    accesses places(steps, cells, in_place);
    for (int i = 0, by = 0; i < static_cast<int>(n); ++i) {
        const step& s = steps[static_cast<std::size_t>(i)];
        const bool first_part = leads(steps, static_cast<std::size_t>(i));
        if (first_part) by = i;
        const auto after = [&](int before) {
            auto& mark = seen[static_cast<std::size_t>(before)];
            if (mark == by || before == by) return;
            mark = by;
            edges.emplace_back(before, by);
            ++o.waits[static_cast<std::size_t>(by)];
        };
        for (int k = 0; k < sources(s); ++k) places.read(source(s, k), by, after);
        if (writes_to(s)) places.write(s.to, by, after);
        if (!first_part) o.waits[static_cast<std::size_t>(i)] = 1;
        if (!communicates(s) || !first_part) continue;
        int& former = last[2 * static_cast<std::size_t>(s.peer) + (sends(s) ? 0 : 1)];
        if (former >= 0) {
            o.next_on_channel[static_cast<std::size_t>(former)] = i;
            ++o.waits[static_cast<std::size_t>(i)];
        }
        former = i;
    }
    for (const auto& [before, after] : edges) ++o.first[static_cast<std::size_t>(before) + 1];
    for (std::size_t i = 0; i < n; ++i) o.first[i + 1] += o.first[i];
    o.followers.assign(edges.size(), 0);
    std::vector<std::uint32_t> fill(o.first.begin(), o.first.end() - 1);
    for (const auto& [before, after] : edges)
        o.followers[fill[static_cast<std::size_t>(before)]++] = static_cast<std::uint32_t>(after);
    return o;
}

/// The steps of an alltoall in place, with its input's places renamed to the output's chunks that are the same memory.
/// Block d of the input is block d of the output, whose chunk ids differ.
[[nodiscard]] TUTTI_CONSTEXPR std::vector<step> named_by_output(const position& at, int chunks,
                                                                std::vector<step> steps) {
    const chunk_window in = window(operation::alltoall, at, buffer::input, chunks);
    const int first = window(operation::alltoall, at, buffer::output, chunks).range(0).first;
    for (step& s : steps)
        if (reads_from(s) && s.from.where == buffer::input)
            s.from = {buffer::output, first + in.index_of(s.from.first), s.from.count};
    return steps;
}

} // namespace detail

/// The order of one rank's steps. Peers are below `size`. In place, equal chunks of input and output are the same
/// memory. Cost: linear in steps and in the cells that they touch: at most one a chunk, and a few a step.
TUTTI_COLD [[nodiscard]] TUTTI_CONSTEXPR order order_of(const std::vector<step>& steps, int size, int chunks,
                                                        bool in_place) {
    const cells within(steps, chunks);
    return detail::order_of_cells(within.of(steps), size, within.count(), in_place);
}

/// The order of the steps that rank `at` has in an operation. Peers are below `peers`. Precondition: the steps' places
/// lie in the operation's windows. It differs from the above for an alltoall in place.
[[nodiscard]] TUTTI_CONSTEXPR order order_of(operation what, const position& at, int chunks,
                                             const std::vector<step>& steps, int peers) {
    if (what != operation::alltoall || !at.in_place) return order_of(steps, peers, chunks, at.in_place);
    return order_of(detail::named_by_output(at, chunks, steps), peers, chunks, true);
}
[[nodiscard]] TUTTI_CONSTEXPR order order_of(const program& p, int rank) {
    return order_of(p.what, p.at(rank), p.chunks, p.ranks[static_cast<std::size_t>(rank)], p.size);
}

} // namespace tutti::schedule

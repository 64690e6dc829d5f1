// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"
#include "../../../base/linkage.hpp"
#include "../placement.hpp"
#include "../program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Renumbering: steps that count ranks and shards by seats become steps that count them by ranks. So a schedule for
/// consecutive ranks of a node serves any placement.
namespace tutti::schedule {

namespace detail {

/// Chunk ids by seats and by ranks. Seats that follow each other, and whose ranks do too, are a *run*: places are split
/// between runs. So both ends of a message split it alike.
class renumbered_ids {
public:
    renumbered_ids(operation what, int chunks, const placement& where)
        : where_(where), chunks_(chunks), rows_(vectors_of(what, where.size())),
          block_(chunks / parts_of(what, where.size())), end_of_run_(static_cast<std::size_t>(where.size())) {
        int end = where.size();
        for (int seat = where.size() - 1; seat >= 0; --seat) {
            end_of_run_[static_cast<std::size_t>(seat)] = end;
            if (seat > 0 && where.rank_at(seat) != where.rank_at(seat - 1) + 1) end = seat;
        }
    }

    /// Whether a step can be split: it works on one range of ids, and these exist.
    [[nodiscard]] bool fits(const step& s) const noexcept {
        const place& x = reads_from(s) ? s.from : s.to;
        const bool as_wide = !reads_from(s) || !writes_to(s) || (s.to.first == x.first && s.to.count == x.count);
        return as_wide && x.count > 0 && chunk_range{0, chunks_}.holds(x) && s.extra < most_operands;
    }
    /// The id by ranks of an id by seats.
    [[nodiscard]] int by_ranks(int id) const noexcept {
        const int block = id / block_, row = block / where_.size(), seat = block % where_.size();
        const int to_row = rows_ > 1 ? where_.rank_at(row) : row;
        return (to_row * where_.size() + where_.rank_at(seat)) * block_ + id % block_;
    }
    /// Where the run of an id ends, in ids by seats.
    [[nodiscard]] int end_of_run(int id) const noexcept {
        const int block = id / block_, seat = block % where_.size();
        return (block - seat + end_of_run_[static_cast<std::size_t>(seat)]) * block_;
    }
    /// visit(part by seats) for the parts of a place in each run.
    void each_part(const place& x, auto&& visit) const {
        for (int first = x.first, last = x.first + x.count; first < last;) {
            const int end = std::min(last, end_of_run(first));
            visit(place{x.where, first, end - first});
            first = end;
        }
    }

private:
    const placement& where_;
    int chunks_, rows_, block_; ///< all ids; rows of blocks; ids of a block
    std::vector<int> end_of_run_;
};

/// A scratch bank for each run of each bank, so that banks stay as small as they were, and parts that filled one still
/// fill consecutive ones.
class renumbered_banks {
public:
    TUTTI_COLD renumbered_banks(const renumbered_ids& ids, const std::vector<step>& steps) : ids_(ids) {
        for (const step& s : steps) {
            if (!ids.fits(s)) continue;
            for (int k = 0; k < sources(s); ++k) note(source(s, k));
            if (writes_to(s)) note(s.to);
        }
        std::sort(keys_.begin(), keys_.end());
        keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
        constexpr std::size_t most = 65'534;
        if (keys_.size() > most)
            reject("renumbering", "the schedule needs " + std::to_string(keys_.size()) + " scratch banks");
    }
    /// Precondition: the place lies in one run.
    [[nodiscard]] buffer of(const place& x) const {
        if (x.where < buffer::first_scratch) return x.where;
        return scratch(static_cast<int>(std::lower_bound(keys_.begin(), keys_.end(), key(x)) - keys_.begin()));
    }

private:
    void note(const place& x) {
        if (x.where < buffer::first_scratch) return;
        ids_.each_part(x, [&](const place& part) { keys_.push_back(key(part)); });
    }
    [[nodiscard]] std::int64_t key(const place& x) const {
        return std::int64_t{index_of(x.where)} << 32 | ids_.end_of_run(x.first);
    }

    const renumbered_ids& ids_;
    std::vector<std::int64_t> keys_; ///< bank and run, in this order
};

/// The part of a step that works on this part of its place.
[[nodiscard]] inline step renumbered_part(step s, const place& part, const renumbered_ids& ids,
                                          const renumbered_banks& banks) {
    const auto at = [&](buffer b) { return banks.of({b, part.first, part.count}); };
    const int first = ids.by_ranks(part.first);
    if (reads_from(s)) s.from = {at(s.from.where), first, part.count};
    if (writes_to(s)) s.to = {at(s.to.where), first, part.count};
    for (std::size_t k = 0; k < s.extra; ++k) s.more[k] = at(s.more[k]);
    return s;
}

} // namespace detail

/// The steps of the rank at a seat: peers and chunk ids counted by seats become those counted by ranks. A message whose
/// chunks are no longer consecutive has joined parts. `parts`, if given, is made to fit. A rank waits for no more than
/// before, but operands may be in another order. A step that is none, which every check of shapes refuses, stays as it
/// is. Precondition: it is no scan, whose result depends on the order of ranks. Linear in steps and parts. Throws
/// invalid_argument where there are too many parts in scratch.
TUTTI_COLD [[nodiscard]] inline std::vector<step> renumbered(operation what, int chunks, const placement& where,
                                                             std::vector<step> steps,
                                                             std::vector<part>* parts = nullptr) {
    for (step& s : steps)
        if (communicates(s) && 0 <= s.peer && s.peer < where.size()) s.peer = where.rank_at(s.peer);
    if (!has_shards(what)) return steps;
    const detail::renumbered_ids ids(what, chunks, where);
    const detail::renumbered_banks banks(ids, steps);
    std::vector<step> all;
    all.reserve(steps.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        while (parts && next < parts->size() && static_cast<std::size_t>((*parts)[next].first) == i)
            (*parts)[next++].first = static_cast<int>(all.size());
        const step& s = steps[i];
        if (!ids.fits(s)) {
            all.push_back(s);
            continue;
        }
        ids.each_part(reads_from(s) ? s.from : s.to, [&](const place& part) {
            all.push_back(detail::renumbered_part(s, part, ids, banks));
            all.back().joined = communicates(s);
        });
        all.back().joined = s.joined;
    }
    while (parts && next < parts->size()) (*parts)[next++].first = static_cast<int>(all.size());
    return all;
}

/// The program of ranks that lie so, from one that counts them by seats.
[[nodiscard]] inline program renumbered(program by_seats, const placement& where) {
    program p = by_seats;
    if (has_root(p.what)) p.root = where.rank_at(by_seats.root);
    for (int seat = 0; seat < p.size; ++seat) {
        const auto from = static_cast<std::size_t>(seat), to = static_cast<std::size_t>(where.rank_at(seat));
        std::vector<part>* parts = p.parts.empty() ? nullptr : &(p.parts[to] = by_seats.parts[from]);
        p.ranks[to] = renumbered(p.what, p.chunks, where, std::move(by_seats.ranks[from]), parts);
    }
    return p;
}

} // namespace tutti::schedule

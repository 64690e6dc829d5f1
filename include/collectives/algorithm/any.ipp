// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any.hpp"

#include "../../base/error.hpp"
#include "../schedule/lowering/renumber.hpp"

#include <string>
#include <utility>

namespace tutti::algorithm {

TUTTI_INLINE schedule::program any::write(operation o, int size, int root, bool in_place, int segments) const {
    schedule::program all{o, size, root, in_place, chunks(o, size) * segments, {}, segments};
    for (int rank = 0; rank < size; ++rank)
        walk(o, {rank, size, root, in_place}, segments, all.ranks.emplace_back(), &all.parts.emplace_back());
    return all;
}

TUTTI_INLINE std::string any::sizes() const {
    constexpr int named = 8, looked_at = 4096;
    std::string text;
    int count = 0;
    for (int size = 1; size <= looked_at && count <= named; ++size) {
        if (!runs_on(size)) continue;
        if (++count <= named)
            text += (text.empty() ? "" : ", ") + std::to_string(size);
        else
            text += ", ...";
    }
    return (text.empty() ? "no number of" : text) + (text == "1" ? " rank" : " ranks");
}

TUTTI_INLINE void any::require_runs_on(operation o, int size) const {
    if (runs_on(size)) return;
    reject(std::string(schedule::name_of(o)),
           std::string(name()) + " is for " + sizes() + ", not for " + std::to_string(size),
           "choose another algorithm, or let the library choose");
}

TUTTI_INLINE any any::on(std::shared_ptr<const schedule::placement> where) const {
    if (!table_->with_ranks_per_node) return *this;
    const int width = where->width();
    any placed = !where->even() && table_->over ? table_->over(storage_, *where)
                                                : with_ranks_per_node(width > 0 ? width : where->size());
    placed.id_ = (placed.id_ ^ where->id()) * 0x100000001b3;
    placed.placed_ = std::move(where);
    return placed;
}

TUTTI_COLD TUTTI_INLINE void any::walk_unplaced(operation o, const position& p, int segments, std::vector<step>& steps,
                                                std::vector<schedule::part>* parts) const {
    room here;
    detail::walk(level_in(here), o, p, step_writer(steps, segments, parts));
}

/// By seats first.
TUTTI_COLD TUTTI_INLINE void any::walk_placed(operation o, const position& p, int segments, std::vector<step>& steps,
                                              std::vector<schedule::part>* parts) const {
    if (p.size != placed_->size())
        reject(std::string(schedule::name_of(o)),
               std::string(name()) + " was placed for " + std::to_string(placed_->size()) + " ranks, not for " +
                   std::to_string(p.size),
               "place it anew, or let the library choose");
    position seat = p;
    seat.rank = placed_->seat_of(p.rank);
    if (schedule::has_root(o)) seat.root = placed_->seat_of(p.root);
    std::vector<step> by_seats;
    std::vector<schedule::part> whose;
    walk_unplaced(o, seat, segments, by_seats, &whose);
    const auto before = static_cast<int>(steps.size());
    if (!placed_->in_order())
        by_seats = schedule::renumbered(o, chunks(o, p.size) * segments, *placed_, std::move(by_seats), &whose);
    steps.insert(steps.end(), by_seats.begin(), by_seats.end());
    if (!parts) return;
    for (schedule::part& x : whose) x.first += before;
    parts->insert(parts->end(), whose.begin(), whose.end());
}

} // namespace tutti::algorithm

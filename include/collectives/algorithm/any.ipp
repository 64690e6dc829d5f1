// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any.hpp"

#include "../schedule/verify_modes.hpp"

namespace tutti::algorithm {

TUTTI_INLINE schedule::program any::write(operation o, int size, int root, bool in_place, int segments) const {
    schedule::program all{o, size, root, in_place, chunks(o, size) * segments, {}, segments};
    for (int rank = 0; rank < size; ++rank)
        walk(o, {rank, size, root, in_place}, segments, all.ranks.emplace_back(), &all.parts.emplace_back());
    return all;
}

TUTTI_INLINE bool any::preserves_order(operation o, int size, int root) const {
    return offers(o) && schedule::keeps_rank_order(write(o, size, root), write(o, size, root, true));
}

} // namespace tutti::algorithm

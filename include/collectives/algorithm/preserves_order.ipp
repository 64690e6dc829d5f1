// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "any.hpp"

#include "../schedule/verify_modes.hpp"

namespace tutti::algorithm {

TUTTI_INLINE bool any::preserves_order(operation o, int size, int root) const {
    return offers(o) && runs_on(size) && schedule::keeps_rank_order(write(o, size, root), write(o, size, root, true));
}

} // namespace tutti::algorithm

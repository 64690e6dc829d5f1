// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../algorithm/any.hpp"

namespace tutti::model::detail {

/// Ranks being alike, so are nodes of so many consecutive ranks: they send each other as much.
[[nodiscard]] inline bool nodes_alike(const algorithm::any& how, int size, int ranks_per_node) {
    if (ranks_per_node == 1) return true;
    if (how.placed()) return false; // whose nodes are no consecutive ranks
    const bool same = how.has_levels() ? how.levels().ranks_per_node == ranks_per_node : how.rotates();
    return same && size % ranks_per_node == 0;
}

/// An identifier of a scratch bank has 16 bits, which is too few for these.
[[nodiscard]] inline bool has_too_many_banks(const algorithm::any& how, int size) noexcept {
    return size > 65533 && how.has_bank_for_each_rank();
}

} // namespace tutti::model::detail

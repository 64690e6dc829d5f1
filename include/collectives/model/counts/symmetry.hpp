// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "levels.hpp"

#include <algorithm>
#include <bit>

namespace tutti::model::detail {

/// Rank r's messages are those of rank 0 with all ranks and chunks shifted by r, so that one rank stands for all.
[[nodiscard]] inline bool rotates(const algorithm::any& how) noexcept {
    using namespace algorithm;
    return how.target<ring>() || how.target<all_to_all>() || how.target<parameter_server>() || how.target<direct>();
}

/// Moreover all of rank r's steps are those of rank 0, shifted: so what takes one rank its time takes all ranks theirs.
/// What combines in rank order does not rotate.
[[nodiscard]] inline bool steps_rotate(const algorithm::any& how, schedule::operation what) noexcept {
    using namespace algorithm;
    if (how.target<direct>()) return what == schedule::operation::allgather;
    return how.target<ring>() || how.target<parameter_server>();
}

/// Every rank sends as many messages of as many chunks as any other, reduces as much and needs as much scratch. False
/// where that is not known.
[[nodiscard]] inline bool alike(const algorithm::any& how, int size) {
    if (rotates(how)) return true;
    if (how.target<algorithm::butterfly>() || how.target<algorithm::halving_doubling>())
        return std::has_single_bit(static_cast<unsigned>(size));
    bool both = false;
    with_levels(how, [&](const auto& levels) {
        const int g = std::clamp(levels.ranks_per_node, 1, size);
        both = size % g == 0 && alike(levels.local, g) && alike(levels.global, size / g);
    });
    return both;
}

/// Ranks being alike, so are nodes of so many consecutive ranks: they send each other as much.
[[nodiscard]] inline bool nodes_alike(const algorithm::any& how, int size, int ranks_per_node) {
    if (ranks_per_node == 1) return true;
    bool same = rotates(how);
    with_levels(how, [&](const auto& levels) { same = levels.ranks_per_node == ranks_per_node; });
    return same && size % ranks_per_node == 0;
}

/// An identifier of a scratch bank has 16 bits, which is too few for these.
[[nodiscard]] inline bool has_too_many_banks(const algorithm::any& how, int size) noexcept {
    return size > 65533 && (how.target<algorithm::all_to_all>() || how.target<algorithm::direct>());
}

} // namespace tutti::model::detail

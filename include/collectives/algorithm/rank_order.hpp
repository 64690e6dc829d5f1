// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace tutti::algorithm::detail {

/// to = the data of ranks 0, 1 ... size-1, of which rank q's lies in buffer of(q), in as few passes as there can be.
/// Sums on their way live in `partial`, which is needed beyond most_operands ranks; there must be two ranks.
template <class Put>
constexpr void combine_in_rank_order(int size, auto&& of, buffer partial, place to, Put&& put) {
    buffer first = of(0);
    for (int q = 1; q < size;) {
        std::array<buffer, schedule::most_operands - 1> more{};
        std::size_t n = 0;
        for (; n < more.size() && q < size; ++q) more[n++] = of(q);
        const buffer into = q < size ? partial : to.where;
        put(schedule::reduce_many({first, to.first, to.count}, std::span(more).first(n), {into, to.first, to.count}));
        first = partial;
    }
}

} // namespace tutti::algorithm::detail

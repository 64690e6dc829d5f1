// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/algorithm/any.hpp"
#include "../../collectives/schedule/layout.hpp"
#include "traffic.hpp"

#include <cstddef>
#include <vector>

namespace tutti::training::compressed {

/// What this rank sends in an allreduce of `elements` elements of `element_bytes` by this algorithm, counted from its
/// steps. Not collective.
template <class Communicator>
[[nodiscard]] traffic allreduce_traffic(const algorithm::any& how, const Communicator& ranks, std::size_t elements,
                                        std::size_t element_bytes = sizeof(float)) {
    constexpr auto what = schedule::operation::allreduce;
    const schedule::layout cut(elements, how.chunks(what, ranks.size()));
    std::vector<schedule::step> steps;
    how.walk(what, {ranks.rank(), ranks.size()}, 1, steps);
    traffic all;
    for (const auto& s : steps)
        if (schedule::sends(s))
            all += {s.joined ? 0U : 1U,
                    (cut.bound(s.from.first + s.from.count) - cut.bound(s.from.first)) * element_bytes};
    return all;
}

} // namespace tutti::training::compressed

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_order.hpp"
#include "device_planner.hpp"
#include "device_rounds.hpp"
#include "device_steps.hpp"

#include <tutti/base/error.hpp>
#include <tutti/collectives/schedule/lowering/pack.hpp>
#include <tutti/collectives/schedule/program.hpp>
#include <tutti/collectives/schedule/verify.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// A proven schedule as kernels run it: see device_engine.hpp.
namespace tutti::kernels {

namespace detail {

/// The plans of the order that takes the least time by device_rounds_of. Lists stay as they are written where others
/// save less than a hundredth. Every plan is walked before it is given away, so none waits for ever.
[[nodiscard]] inline std::vector<device_plan> cheapest_plans(const schedule::program& p, std::size_t count,
                                                             std::size_t element_bytes) {
    device_planner planner(p, count, element_bytes);
    order_finder orders(p);
    std::vector<device_plan> best;
    ticks least = 0;
    int stuck = -1;
    const auto weigh = [&](const device_orders& in_order) {
        std::vector<device_plan> plans = planner.plans(in_order);
        const auto walked = plans_walk(plans).run(count);
        if (walked.stuck >= 0) stuck = walked.stuck;
        if (walked.stuck >= 0 || (!best.empty() && walked.time >= least - least / 100)) return;
        best = std::move(plans);
        least = walked.time;
    };
    weigh(as_written(p));
    weigh(orders.by_segment());
    weigh(orders.by_way());
    if (best.empty()) reject("device_plans_of", "rank " + std::to_string(stuck) + " would wait for ever");
    return best;
}

} // namespace detail

/// The plans of all ranks, by rank, for `count` elements of that size. The program is proven first. A rank does one
/// step after the other, in its list's order or another one of order_of, whichever device_rounds_of likes best. Joined
/// parts are messages of their own there.
///
/// Errors: invalid_argument, where the program is no proven one, or has more than 8 ranks. So is an alltoall of a count
/// that is no multiple of the ranks, and one with a step that goes over several blocks. Cost: some times that of
/// schedule::verify, so keep the plans.
[[nodiscard]] inline std::vector<device_plan> device_plans_of(const schedule::program& p, std::size_t count,
                                                              std::size_t element_bytes) {
    if (p.size > static_cast<int>(most_peers))
        reject("device_plans_of", "the schedule is for " + std::to_string(p.size) + " ranks",
               "groups have 1 to " + std::to_string(most_peers));
    if (p.what == schedule::operation::alltoall && p.size > 0 && count % static_cast<std::size_t>(p.size) != 0)
        reject("device_plans_of", std::to_string(count) + " elements have no block for each rank",
               "make it a multiple of the ranks");
    const schedule::proof proof = (schedule::verify)(p, nullptr, schedule::bits::may_differ);
    if (!proof.proven) reject("device_plans_of", "the schedule is not proven: " + schedule::message_of(proof.fault));
    return detail::cheapest_plans(schedule::unjoined(p), count, element_bytes);
}

} // namespace tutti::kernels

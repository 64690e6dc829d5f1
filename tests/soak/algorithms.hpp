// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"

#include <collectives/algorithm/all.hpp>

#include <cstddef>

namespace tutti::soak {

/// The library's word for an operation. A barrier is an allreduce of nothing. Precondition: it is no exchange.
[[nodiscard]] constexpr schedule::operation scheduled(operation o) noexcept {
    if (o == operation::barrier) return schedule::operation::allreduce;
    return schedule::operations[static_cast<std::size_t>(o)];
}
static_assert(schedule::operations.size() == static_cast<std::size_t>(operation::barrier));

/// The algorithm that a call names. Precondition: it names one.
[[nodiscard]] inline algorithm::any named(const call& c) {
    return algorithm::all(c.per_node)[static_cast<std::size_t>(c.algorithm)];
}

} // namespace tutti::soak

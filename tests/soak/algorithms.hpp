// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"

#include <collectives/algorithm/all.hpp>

#include <cstddef>

namespace tutti::soak {

/// The library's word for an operation. A barrier is an allreduce of nothing.
[[nodiscard]] constexpr schedule::operation scheduled(operation o) noexcept {
    switch (o) {
    case operation::reduce_scatter: return schedule::operation::reduce_scatter;
    case operation::allgather: return schedule::operation::allgather;
    case operation::reduce: return schedule::operation::reduce;
    case operation::broadcast: return schedule::operation::broadcast;
    default: return schedule::operation::allreduce;
    }
}

/// The algorithm that a call names. Precondition: it names one.
[[nodiscard]] inline algorithm::any named(const call& c) {
    return algorithm::all(c.per_node)[static_cast<std::size_t>(c.algorithm)];
}

} // namespace tutti::soak

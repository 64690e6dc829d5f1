// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "call.hpp"

#include "../schedule/lowering/plan.hpp"

#include <memory>

namespace tutti::engine {

/// Makes the plan of a call for one rank; lowered, and without views, if an executor does its local work. Costs time
/// linear in the steps of this rank; of all ranks where they do not know all lengths and the algorithm is neither naive
/// nor direct; a proof if the operator needs rank order; and once in a process one
/// of an algorithm that is not the library's. Throws invalid_argument if the algorithm's schedule is none for the call.
[[nodiscard]] std::shared_ptr<const schedule::plan> plan_of(const call& c, const schedule::position& at);

} // namespace tutti::engine

#if !defined(TUTTI_COMPILED)
#include "planning.ipp"
#endif

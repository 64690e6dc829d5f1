// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/all.hpp>
#include <collectives/model/simulate.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstddef>

/// For tests of the simulator.
namespace tutti::test {

/// An allreduce of `bytes` by so many ranks.
inline model::collective allreduce_of(const algorithm::any& how, int size, std::size_t bytes) {
    return {schedule::operation::allreduce, how, size, bytes};
}

/// Nanoseconds until all ranks are done, on a machine whose links all cost the same.
inline double finish_ns(const model::collective& c, const model::loggp& cost, model::receiver_rule rule) {
    model::simulation_settings s;
    s.receiver = rule;
    return model::simulate(c, model::uniform(cost), 1, s).finish_s * 1e9;
}

/// To a millionth of a nanosecond, or a rounding error of many additions.
inline bool near_to(double a, double b) { return std::abs(a - b) < 1e-6 + 1e-12 * std::abs(b); }

} // namespace tutti::test

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"
#include "report.hpp"

#include <collectives/any_communicator.hpp>

#include <functional>

namespace tutti::soak {

/// A rank's whole life: `enter` gives its communicator.
void play(const plan& p, int rank, const reports& all, const std::function<any_communicator()>& enter);

} // namespace tutti::soak

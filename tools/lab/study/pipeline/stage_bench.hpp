// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "measured.hpp"

#include <collectives/collectives.hpp>
#include <transport/shared_memory.hpp>

namespace tutti::tools::study::pipeline {

/// Runs all schedules on the ranks of a communicator, which compute, or sleep as the settings say. The same result on
/// all ranks. Collective.
[[nodiscard]] measurement measured_by(const communicator<transport::shared_memory>& world, const settings& s);

} // namespace tutti::tools::study::pipeline

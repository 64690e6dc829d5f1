// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rank_grid.hpp"
#include "train.hpp"

#include <CLI/CLI.hpp>

/// What is refused before any rank starts.
namespace tutti::tools {

/// Throws std::invalid_argument where an option is given that the others leave without use, or settings contradict each
/// other.
void require_sense(const CLI::App& command, const train_settings& s);

/// Throws std::invalid_argument where so many ranks cannot share the network, or a batch, as the settings say.
void require_fit(const train_settings& s, int ranks);

/// Throws std::runtime_error where the files to go on from are not there, or std::system_error where those to save to
/// cannot be written. They are on this host.
void require_checkpoint(const train_settings& s, const grid_shape& of);

} // namespace tutti::tools

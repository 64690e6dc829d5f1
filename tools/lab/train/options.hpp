// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <CLI/CLI.hpp>

namespace tutti::tools {

/// Adds `tutti train`, which writes what the command line says to `settings`. They must live as long as the app.
CLI::App& add_train_options(CLI::App& app, train_settings& settings);

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pictures.hpp"
#include "text.hpp"

#include <memory>

namespace tutti::tools {

/// What the settings' model learns: a multilayer perceptron pictures, a transformer text. Collective.
template <class Communicator>
[[nodiscard]] std::unique_ptr<task> make_task(const rank_grid<Communicator>& grid, const train_settings& settings,
                                              const task_source& from = {}) {
    if (settings.model == "transformer") return std::make_unique<text>(grid, settings, from.tested);
    return std::make_unique<pictures>(grid, settings, from);
}

} // namespace tutti::tools

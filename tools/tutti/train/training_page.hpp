// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/html_page.hpp"

namespace tutti::tools {

/// The page of tools/report/training. Defined by what tools/report/embed.py writes.
extern const html_page training_page;

} // namespace tutti::tools

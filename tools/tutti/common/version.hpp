// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <base/version.hpp>

namespace tutti::tools {

inline constexpr auto version = "tutti " TUTTI_VERSION_TEXT;

} // namespace tutti::tools

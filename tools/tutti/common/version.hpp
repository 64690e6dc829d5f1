// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::tools {

inline constexpr auto version = "tutti 0.1.0";

} // namespace tutti::tools

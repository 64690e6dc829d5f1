// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace tutti::tools {

// The page of tools/report in pieces, before and after its data; empty where it was built without Chart.js. Defined by
// what tools/report/embed.py writes.
extern const std::span<const std::string_view> page_before_data;
extern const std::span<const std::string_view> page_after_data;

} // namespace tutti::tools

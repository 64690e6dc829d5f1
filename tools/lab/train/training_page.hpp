// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace tutti::tools {

// The page of tools/report/training in pieces, as report_page.hpp has those of tools/report.
extern const std::span<const std::string_view> training_page_before_data;
extern const std::span<const std::string_view> training_page_after_data;

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace tutti::tools::planner {

/// The texts of docs/clusters. Defined by what embed.py writes.
extern const std::span<const std::string_view> cluster_files;

} // namespace tutti::tools::planner

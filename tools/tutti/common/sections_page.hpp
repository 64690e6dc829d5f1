// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

/// Pages of sections with charts and tables: of studies, and of benches.
namespace tutti::tools {

/// Throws std::runtime_error if this tutti was built without Chart.js, and so without pages.
void require_sections_page();

/// One page that needs no other file and no network. `content` is what tools/report/study/page.js says. Throws as
/// require_sections_page() does.
[[nodiscard]] std::string sections_page(const nlohmann::ordered_json& content);

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tutti::tools::study {

/// Throws std::runtime_error if this tutti was built without Chart.js, and so without pages.
void require_pages();

/// One page that needs no other file and no network. `content` is what tools/report/study/page.js says. Throws as
/// require_pages() does.
[[nodiscard]] std::string page_of(const nlohmann::ordered_json& content);

} // namespace tutti::tools::study

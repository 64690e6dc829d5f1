// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "findings.hpp"

#include <nlohmann/json.hpp>

namespace tutti::tools::study::hogwild {

/// The page: what sections_page() takes.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);
/// All that was measured, for a JSON file.
[[nodiscard]] nlohmann::ordered_json facts_of(const results& r);

} // namespace tutti::tools::study::hogwild

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sections_page.hpp"

#include "html_page.hpp"

namespace tutti::tools {

// Defined by what tools/report/embed.py writes.
extern const std::span<const std::string_view> study_page_before_data;
extern const std::span<const std::string_view> study_page_after_data;

void require_sections_page() { require_html({study_page_before_data, study_page_after_data}); }

std::string sections_page(const nlohmann::ordered_json& content) {
    return filled({study_page_before_data, study_page_after_data}, content);
}

} // namespace tutti::tools

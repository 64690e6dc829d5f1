// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "page.hpp"

#include <span>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tutti::tools {

// The page of tools/report/study in pieces, before and after its data; empty where it was built without Chart.js.
// Defined by what tools/report/embed.py writes.
extern const std::span<const std::string_view> study_page_before_data;
extern const std::span<const std::string_view> study_page_after_data;

namespace study {

void require_pages() {
    if (study_page_before_data.empty())
        throw std::runtime_error("this tutti was built without Chart.js, and so without pages of studies: install "
                                 "libjs-chart.js, or name its file by -Dchart_js=FILE, and set up the build again");
}

std::string page_of(const nlohmann::ordered_json& content) {
    require_pages();
    std::string page;
    for (const std::string_view piece : study_page_before_data) page += piece;
    // Inside a page nothing in the data may end their element or begin a comment: no '<' remains.
    for (const char c : content.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
        if (c == '<')
            page += "\\u003c";
        else
            page += c;
    }
    for (const std::string_view piece : study_page_after_data) page += piece;
    return page;
}

} // namespace study
} // namespace tutti::tools

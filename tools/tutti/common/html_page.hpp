// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tutti::tools {

/// A page of tools/report in pieces, before and after its data; empty where it was built without Chart.js.
struct html_page {
    std::span<const std::string_view> before;
    std::span<const std::string_view> after;
};

/// Throws std::runtime_error where this build has no such page.
inline void require_html(const html_page& page) {
    if (page.before.empty())
        throw std::runtime_error("this tutti was built without Chart.js, and so without HTML reports: install "
                                 "libjs-chart.js, or name its file by -Dchart_js=FILE, and set up the build again");
}

/// The page with its data, as one file that needs no other and no network. Throws as require_html() does.
[[nodiscard]] inline std::string filled(const html_page& page, const nlohmann::ordered_json& data) {
    require_html(page);
    std::string text;
    for (const std::string_view piece : page.before) text += piece;
    // Inside a page nothing in the data may end their element or begin a comment: no '<' remains.
    for (const char c : data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    for (const std::string_view piece : page.after) text += piece;
    return text;
}

} // namespace tutti::tools

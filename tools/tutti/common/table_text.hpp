// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {

using table_cells = std::vector<std::string>; ///< of a row
[[nodiscard]] table_cells cells(const auto&... texts) { return {std::string(texts)...}; }

/// Columns as wide as their longest cell, two spaces apart. `sides` says whether cells are to the left or to the right,
/// by < and >; a column that it says nothing of is not filled up.
[[nodiscard]] inline std::string table_text(const std::vector<table_cells>& rows, std::string_view sides) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const table_cells& r : rows)
        for (std::size_t c = 0; c < sides.size(); ++c) widths[c] = std::max(widths[c], r[c].size());
    std::string text;
    for (const table_cells& r : rows)
        for (std::size_t c = 0; c < r.size(); ++c) {
            const bool to_the_right = c < sides.size() && sides[c] == '>';
            text += fmt::format(fmt::runtime(to_the_right ? "{:>{}}" : "{:<{}}"), r[c], widths[c]);
            text += c + 1 < r.size() ? "  " : "\n";
        }
    return text;
}

} // namespace tutti::tools

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

/// Columns as wide as their longest cell, two spaces apart. `sides` says of all but the last one whether cells are to
/// the left or to the right, by < and >.
[[nodiscard]] inline std::string table_text(const std::vector<table_cells>& rows, std::string_view sides) {
    std::vector<std::size_t> widths(sides.size(), 0);
    for (const table_cells& r : rows)
        for (std::size_t c = 0; c < sides.size(); ++c) widths[c] = std::max(widths[c], r[c].size());
    std::string text;
    for (const table_cells& r : rows) {
        for (std::size_t c = 0; c < sides.size(); ++c)
            text += fmt::format(fmt::runtime(sides[c] == '<' ? "{:<{}}  " : "{:>{}}  "), r[c], widths[c]);
        text += r.back() + "\n";
    }
    return text;
}

} // namespace tutti::tools

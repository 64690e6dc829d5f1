// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// A column of the table on standard output.
struct column {
    std::string_view name;
    std::string_view unit;
    int width; ///< below 0: to the left
    std::function<std::string(const row&)> cell;
};

/// Those that have something to say in one of these rows at least, in order.
[[nodiscard]] std::vector<column> columns_for(const std::vector<job>& jobs);

/// A line of the table, `cell(column)` in each column.
[[nodiscard]] std::string line_of(const std::vector<column>& columns,
                                  const std::function<std::string(const column&)>& cell);

} // namespace tutti::tools

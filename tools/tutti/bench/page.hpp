// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "against.hpp"
#include "row_json.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

/// What the page of a bench shows.
struct bench_figures {
    std::vector<std::string> heading;   ///< sentences
    std::vector<row_object> rows;       ///< of all rounds, as to_json() makes them
    std::vector<row_object> earlier;    ///< those of --against
    std::vector<compared_row> compared; ///< the rows that were measured both times
};

/// The content of a page, for sections_page(): curves of times and of bandwidths by size for each operation that has
/// several sizes, with the intervals that the table has, and all rows as a table. Of several rounds a row has the
/// median, and what holds it. Precondition: there is a row.
[[nodiscard]] row_object bench_page(const bench_figures& all);

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/choices.hpp"
#include "../model/pricing.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// What is compared with each other: the algorithms of one operation at one number of ranks.
struct contest {
    operation what = operation::allreduce;
    int ranks = 1;
    std::vector<std::string> algorithms;
    bool has_auto = false; ///< what the library chooses is among them, and marked: see with_choices()
};

/// One for each operation and number of ranks that the lists name. Throws std::invalid_argument where they name what
/// there is not.
[[nodiscard]] std::vector<contest> contests_of(std::string_view operations, std::string_view algorithms,
                                               std::string_view ranks);

/// Adds what the library itself would choose at one of these sizes, if `all` or `auto` were asked for.
void add_choices(std::vector<contest>& contests, const std::vector<std::size_t>& sizes, pricing& prices);

/// Appends a row for each size and algorithm, the sizes outside. `begins`, if given, is told of each before, and `done`
/// afterwards.
void price(const contest& c, const std::vector<std::size_t>& sizes, pricing& prices, std::vector<model_row>& rows,
           const std::function<void(const std::string&)>& begins = {},
           const std::function<void(const model_row&)>& done = {});

/// As many ranks as can be looked at.
inline constexpr int timeline_ranks = 8;

/// Each algorithm's run at that size as it is simulated, on so many ranks at most.
[[nodiscard]] std::vector<model_timeline> timelines(const contest& c, std::size_t bytes, const pricing& prices,
                                                    int most_ranks = timeline_ranks);

/// Prints the rows that price() has made, a table for each size.
void print(const contest& c, const std::vector<std::size_t>& sizes, std::span<const model_row> rows,
           const pricing& prices);

/// Who is the fastest at which size, from the smallest to the largest; none with one algorithm, or one size. Costs up
/// to eight further prices of each algorithm where the winner changes between n and 2n.
[[nodiscard]] std::optional<model_fastest> fastest(const contest& c, const std::vector<std::size_t>& sizes,
                                                   std::span<const model_row> rows, pricing& prices);

} // namespace tutti::tools

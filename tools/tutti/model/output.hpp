// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// An array of one object a row; null is what is not known. Times in microseconds, with twelve digits: what would
/// follow are errors of rounding.
[[nodiscard]] std::string to_json(const std::vector<model_row>& rows);
/// The same columns, with their names in the first line; empty is what is not known.
[[nodiscard]] std::string to_csv(const std::vector<model_row>& rows);

/// The time that a winner is found by: the simulated one, or, unless all are simulated, that of the closed form.
[[nodiscard]] std::optional<double> predicted_us(const model_row& row, bool simulated) noexcept;
/// The fastest, by its place among the rows; of those that are equal but for rounding the first. None without a time.
[[nodiscard]] std::optional<std::size_t> winner_of(const std::vector<std::optional<double>>& times_us);

/// Rows of one operation, number of ranks and size, the fastest first, its line marked by an asterisk; ~ marks what
/// rests on an estimate.
void print_table(std::span<const model_row> rows, bool simulated);
/// Who wins from which size on, in one line.
void print_crossovers(const model_fastest& fastest);

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bench/row_file.hpp"
#include "report.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// A row as --json and --csv write it.
[[nodiscard]] row_object to_object(const model_row& row);

/// The rows in files, each of which is whole after every row: a CSV file, an array of JSON, or both; without a name
/// none. Times are in microseconds, with twelve digits: what would follow are errors of rounding. Throws as row_file
/// does.
class row_files {
public:
    row_files(const std::string& csv, const std::string& json);

    void add(const model_row& row);
    void finish();

private:
    std::optional<row_file> csv_, json_;
};

/// The time that a winner is found by: the simulated one, or, unless all are simulated, that of the closed form.
[[nodiscard]] std::optional<double> predicted_us(const model_row& row, bool simulated) noexcept;
/// Whether all that is known of a row's time is an estimate.
[[nodiscard]] bool is_estimate(const model_row& row) noexcept;
/// What that time is: "simulated", "closed form", or "~closed form" where the form is an estimate; empty without one.
[[nodiscard]] std::string source_of_time(const model_row& row, bool simulated);
/// The fastest, by its place among the rows; of those that are equal but for rounding the first. None without a time.
[[nodiscard]] std::optional<std::size_t> winner_of(const std::vector<std::optional<double>>& times_us);

/// "auto", or "auto: 2 segments" where the row has another number; empty where the library would not choose it.
[[nodiscard]] std::string auto_text(const model_row& row);
/// Rows of one operation, number of ranks and size, the fastest first, its line marked by an asterisk; ~ marks what
/// rests on an estimate.
void print_table(std::span<const model_row> rows, bool simulated);
/// Who wins from which size on, in one line, also with ~.
void print_crossovers(const model_fastest& fastest);

} // namespace tutti::tools

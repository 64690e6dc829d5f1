// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/change.hpp"
#include "row_json.hpp"

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace tutti::tools {

/// What this run is compared with: files that `tutti bench --json` wrote. Rows of the same subject are rounds of one
/// row, whichever file they are in.
class earlier_runs {
public:
    /// One row in all rounds, and what was chosen in the last of them.
    struct rounds_of_row {
        measured_times times;
        std::string chosen;
    };

    /// Reads them. Throws std::invalid_argument where a file is not what it should be.
    explicit earlier_runs(const std::vector<std::string>& files);

    /// Throws std::invalid_argument that says what differs, unless all rows were measured under these conditions. Those
    /// that are null here are not known here, and not compared.
    void require(const row_object& conditions) const;
    /// Throws std::invalid_argument unless one of these rows was measured.
    void require_some(const std::vector<job>& jobs) const;

    /// A row of this run.
    void add(const row_object& row);

    /// Compares all rows that were measured then and now, in the order of this run, and prints a table of them. Returns
    /// how many became slower.
    std::size_t print(double tolerance, std::FILE* to) const;

private:
    struct earlier_row {
        std::string file;
        row_object row;
    };

    [[nodiscard]] std::size_t common_rows() const;

    std::vector<std::string> files_;
    std::vector<earlier_row> rows_;
    std::map<std::string, rounds_of_row> then_, now_; // by subject
    std::vector<row_object> subjects_;                // of this run, in its order
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "against.hpp"
#include "foreign_rows.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

/// Whether this run stands beside others than a tutti: contestants, or files of other programs.
[[nodiscard]] inline bool compares_with_others(const bench_settings& s) {
    return !s.contestants.empty() || (!s.against.empty() && is_foreign(s.against.front()));
}

/// Our times over those of others: contestants that are measured in turn with us, or what other programs' files hold.
/// They are told apart by name. Nobody need be as fast as another library: there is no verdict without a tolerance.
class ratios {
public:
    /// `ranks` are those of this run. Throws std::invalid_argument where a file of --against is not what it should be.
    ratios(const bench_settings& settings, int ranks);

    /// Throws std::invalid_argument if there are files, and none holds one of these rows.
    void require_some(const std::vector<row_object>& rows) const;
    /// A row that this contestant measured.
    void add_theirs(const std::string& name, const row_object& row);
    /// A row of this run, or of a file that stands for it.
    void add(row_object row);

    /// Prints a table, in the order of this run, and what has no partner. Rows beside which other work used more than
    /// so many cores are not judged. `launches_rounds` is as of print_reasons().
    verdict print(double most_other_cores, bool launches_rounds, std::FILE* to) const;

    /// Theirs as rows of this run, a round each, with their name in place of an algorithm: for pictures.
    [[nodiscard]] std::vector<row_object> rows_of_others() const;

private:
    struct rival {
        std::string name;
        std::optional<foreign_row> read; ///< from a file
        row_object subject;              ///< of a contestant
        rounds_of_row times{};

        [[nodiscard]] bool is_like(const row_object& ours) const;
    };
    struct own {
        row_object row; ///< the first of them
        rounds_of_row times{};
    };
    [[nodiscard]] compared_times compared(const rival& theirs, const own& ours, double alarms) const;
    void print_heading(std::FILE* to) const;

    const bench_settings& settings_;
    const double tolerance_;                                   // 0 where none is given
    std::vector<std::string> names_;                           // of contestants, or of files
    std::vector<std::string> told_;                            // of each file
    std::vector<std::pair<std::string, std::string>> unknown_; // benchmarks of a file that have no rows here
    std::vector<rival> theirs_;
    std::vector<own> ours_;
};

/// Compares the files of --now with those of --against. Returns the exit status. Throws std::invalid_argument where
/// they cannot be compared.
[[nodiscard]] int compare_files(const bench_settings& s);

} // namespace tutti::tools

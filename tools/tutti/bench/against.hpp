// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/change.hpp"
#include "../common/table_text.hpp"
#include "row_json.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::tools {

/// What rows of these jobs say of themselves before anything is measured.
[[nodiscard]] std::vector<row_object> rows_for(const std::vector<job>& jobs);
// Cells of a comparison: "reduce root 0"; "auto:ring,was:butterfly".
[[nodiscard]] std::string title_of(const row_object& subject);
[[nodiscard]] std::string choice_text(const row_object& subject, const std::string& then, const std::string& now);

/// False of a row that a contestant measured.
[[nodiscard]] inline bool is_of_tutti(const row_object& row) { return row.value("library", "tutti") == "tutti"; }

/// One row in all rounds of one side.
class rounds_of_row {
public:
    /// What one launch measured several times is one round.
    void add(const row_object& row);

    /// Each round's median.
    [[nodiscard]] measured_times times() const;
    /// The cores that other work used, the median of what is known; where nothing is, all that the ranks may use. 0 of
    /// no row.
    [[nodiscard]] double other_cores() const;
    /// Something is known of other work.
    [[nodiscard]] bool knows_other_cores() const noexcept { return !other_cores_.empty() || launches_.empty(); }
    /// What was chosen in the last of them; empty where nothing was.
    [[nodiscard]] const std::string& chosen() const noexcept { return chosen_; }

private:
    std::map<std::pair<std::string, std::size_t>, std::vector<double>> launches_; // by file and number
    std::vector<double> other_cores_;
    double cores_ = 0; // that the ranks may use
    std::string chosen_;
};

/// A row then and now, judged.
struct compared_row {
    row_object subject;
    std::string then_chosen, now_chosen; ///< algorithms; empty where none was
    compared_times times;
};

/// A comparison as it stands beside other work: not judged where that used more than so many cores, then or now.
[[nodiscard]] compared_times beside_other_work(compared_times c, const rounds_of_row& then, const rounds_of_row& now,
                                               double most_other_cores);

/// How many rows there are of each change.
struct tally {
    std::array<std::size_t, kinds_of_change> of{}; ///< by change
    double alarms = 0;                             ///< the sum of the chances of a false alarm

    void add(const compared_times& c) {
        ++of[static_cast<std::size_t>(c.what)];
        alarms += c.false_alarm;
    }
    [[nodiscard]] std::size_t count(change c) const { return of[static_cast<std::size_t>(c)]; }
    [[nodiscard]] std::size_t not_judged() const {
        return count(change::unknown) + count(change::disturbed) + count(change::untold);
    }
};

/// A row of the table of a comparison. `of` is who is beside us; empty: we ourselves.
[[nodiscard]] table_cells cells_of(const std::string& of, const row_object& subject, const std::string& algorithm,
                                   const compared_times& c);
/// The table, with the names of the columns that are not always the same.
void print_table(std::FILE* to, const char* of, const char* then, const char* now, std::vector<table_cells> rows);
/// Of all rows together: how often a comparison of runs of the same kind is to find something slower.
inline constexpr double most_alarms = 0.05;
/// Says why rows were not judged, if there are some, and how often a false alarm is to be expected, if some were.
/// `launches_rounds` says whether each round of this command is a launch.
void print_reasons(std::FILE* to, const tally& t, double most_other_cores, bool launches_rounds);

/// "slower"; "-" where nothing changed.
[[nodiscard]] std::string_view word_of(change c);

/// What came out of a comparison.
struct verdict {
    std::size_t slower = 0; ///< rows
    bool complete = true;   ///< every row was measured then and now, and judged
};

/// What this run is compared with: files that `tutti bench --json` wrote, or rows of another command that was measured
/// in turn with this one. Rows of the same subject are rounds of one row, whichever file they are in.
class earlier_runs {
public:
    earlier_runs() = default;
    /// Reads them. Throws std::invalid_argument where a file is not what it should be.
    explicit earlier_runs(const std::vector<std::string>& files);

    /// Throws std::invalid_argument that says what differs, unless all rows were measured under these conditions. Those
    /// that are null here are not known here, and not compared.
    void require(const row_object& conditions) const;
    /// Throws std::invalid_argument unless one of these rows was measured.
    void require_some(const std::vector<row_object>& rows) const;
    /// The launches that measured the row that has most of them.
    [[nodiscard]] std::size_t rounds() const;

    /// A row that is compared with. Its "file" is where it is from.
    void add_earlier(row_object row);
    /// A row of this run, or of a file that stands for it.
    void add(const row_object& row);

    /// All rows that were measured then and now, in the order of this run. Rows beside which other work used more than
    /// so many cores are not judged.
    [[nodiscard]] std::vector<compared_row> compared(double tolerance, double most_other_cores) const;
    /// Those of then, as they came.
    [[nodiscard]] const std::vector<row_object>& rows() const noexcept { return rows_; }
    /// Prints a table of what compared() says. `launches_rounds` is as of print_reasons().
    verdict print(double tolerance, double most_other_cores, bool launches_rounds, std::FILE* to) const;

private:
    [[nodiscard]] std::size_t common_rows() const;

    std::vector<std::string> files_;
    std::vector<row_object> rows_;                    // of then
    std::map<std::string, rounds_of_row> then_, now_; // by subject
    std::vector<row_object> subjects_;                // of this run, in its order
};

} // namespace tutti::tools

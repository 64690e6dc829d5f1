// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/change.hpp"
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

/// The part of a row that says what it is of.
[[nodiscard]] row_object subject_in(const row_object& row);
// Cells of a comparison: a value as it is; "reduce root 0"; "auto:ring,was:butterfly".
[[nodiscard]] std::string plain(const row_object& value);
[[nodiscard]] std::string title_of(const row_object& subject);
[[nodiscard]] std::string choice_text(const row_object& subject, const std::string& then, const std::string& now);

/// False of a row that a contestant measured.
[[nodiscard]] inline bool is_of_tutti(const row_object& row) { return row.value("library", "tutti") == "tutti"; }

/// One row in all rounds of one side.
class rounds_of_row {
public:
    /// A row of that file. What one launch measured several times is one round.
    void add(const std::string& file, const row_object& row);

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

/// The table of a comparison: the names of its columns, and a line of it.
void print_columns(std::FILE* to, std::string_view then, std::string_view now);
void print_row(std::FILE* to, const row_object& subject, const std::string& algorithm, const compared_times& c);
/// Of all rows together: how often a comparison of runs of the same kind is to find something slower.
inline constexpr double most_alarms = 0.05;
/// Says how often that is to be expected, if something was judged.
void print_alarms(std::FILE* to, const tally& t);
/// Says beside how many rows nothing is known of other work, if there are some.
void print_unknown_work(std::FILE* to, std::size_t rows);

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
    void require_some(const std::vector<job>& jobs) const;
    /// The launches that measured the row that has most of them.
    [[nodiscard]] std::size_t rounds() const;

    /// A row that is compared with.
    void add_earlier(const std::string& file, row_object row);
    /// A row of this run.
    void add(const row_object& row);

    /// All rows that were measured then and now, in the order of this run. Rows beside which other work used more than
    /// so many cores are not judged.
    [[nodiscard]] std::vector<compared_row> compared(double tolerance, double most_other_cores) const;
    /// Those of then, as they came.
    [[nodiscard]] std::vector<row_object> earlier_rows() const;
    /// Prints a table of what compared() says. `launches_rounds` says whether each round of this command is a launch.
    verdict print(double tolerance, double most_other_cores, bool launches_rounds, std::FILE* to) const;

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

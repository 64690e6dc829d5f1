// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/progress.hpp"
#include "against.hpp"
#include "bench.hpp"
#include "columns.hpp"
#include "ratios.hpp"
#include "row_file.hpp"
#include "testbed.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// What rank 0 shows of a bench: a table on standard output, a progress line, files where they are wanted, and at the
/// end of the last launch what became slower. Where one of the files is standard output, nothing else goes there.
class bench_report {
public:
    /// Throws std::system_error if a file cannot be written, and std::invalid_argument if there is nothing that can be
    /// compared with.
    bench_report(const bench_settings& settings, testbed at, int ranks, bool one_clock, const std::vector<job>& jobs);

    void begin(const job& what, std::size_t round);
    /// Throws std::system_error as the constructor does.
    void add(const row& r);
    /// The last lines. A bench that fails ends without them. Throws as add() does.
    verdict finish();
    /// Whether who read standard output, or a pipe, has gone: then nothing more need be measured.
    [[nodiscard]] bool unread() const noexcept { return unread_; }

private:
    [[nodiscard]] std::vector<std::string> heading() const;
    [[nodiscard]] std::string page() const;
    void print_row(const row& r);
    void while_read(const std::function<void()>& print);
    void read_launches_before();
    void write(const row_object& row);
    void write_page_so_far();
    void print_sums(std::FILE* to) const;
    void print_rounds() const;
    void print_matrix() const;
    [[nodiscard]] bool is_first() const noexcept { return settings_.launch.number.value_or(0) == 0; }
    [[nodiscard]] bool is_last() const noexcept {
        return !settings_.launch.number || *settings_.launch.number + 1 == settings_.rounds;
    }

    const bench_settings& settings_;
    const testbed at_;
    const int ranks_;
    const bool one_clock_;
    const bool quiet_;
    const std::vector<column> columns_;
    const std::string left_out_;
    const std::size_t all_rows_; // of all rounds
    progress_line progress_;
    std::optional<row_file> json_, csv_;
    std::optional<earlier_runs> earlier_;
    std::optional<ratios> ratios_; // beside others
    std::string_view current_;     // operation
    std::size_t round_ = 0;
    bool unread_ = false;
    std::chrono::steady_clock::time_point next_page_{}; // not before
    std::vector<row_object> rows_;                      // of this launch and of those before
    std::vector<row_object> of_contestants_;
};

} // namespace tutti::tools

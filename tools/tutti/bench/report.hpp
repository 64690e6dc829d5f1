// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/progress.hpp"
#include "bench.hpp"

#include <cstdio>
#include <memory>

namespace tutti::tools {

/// What rank 0 shows of a bench: a table on standard output, a progress line, and a JSON file where one is wanted.
class bench_report {
public:
    /// Throws std::system_error if the JSON file cannot be written.
    bench_report(const bench_settings& settings, int ranks, bool one_clock);

    void begin(const job& what);
    /// Throws as the constructor does.
    void add(const row& r);
    /// The last line. A bench that fails ends without it. Throws as the constructor does.
    void finish(std::uint64_t wrong);

private:
    struct close_file {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    void print_header(bool one_clock) const;
    void print_operation(std::string_view name);
    void write_json(const row& r);
    void flush_json();
    [[noreturn]] void json_failed(int number) const;

    const bench_settings& settings_;
    int ranks_;
    progress_line progress_;
    std::unique_ptr<std::FILE, close_file> json_;
    long end_of_rows_ = 0;     // where the file's closing bracket stands
    std::string_view current_; // operation
    double bus_GBps_ = 0;
    std::size_t rows_ = 0;
};

} // namespace tutti::tools

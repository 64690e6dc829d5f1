// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "row_json.hpp"

#include <cstdio>
#include <memory>
#include <string>

namespace tutti::tools {

/// In one write: what is read later is whole rows, a line each. Throws std::system_error.
void append_row(int file, const row_object& row);

/// A file of rows, or standard output, if that is named "-". Each function throws std::system_error if it cannot be
/// written.
class row_file {
public:
    /// json: an array, an object a row; csv: a line of names, then a line a row, of which null is an empty cell.
    enum class format : unsigned char { json, csv };

    /// `continues` where another launch has begun the file, and finished a row at least; else what is in the file stays
    /// until the first row takes its place, or finish(). A new one has no rows at once.
    row_file(const std::string& path, format as, bool continues = false);

    /// Afterwards the file is whole, whatever happens next; an array on standard output or a pipe
    /// lacks its end.
    void add(const row_object& row);
    /// Whether it is complete, or another launch will continue it.
    void finish(bool complete = true);

private:
    struct close_file {
        void operator()(std::FILE* file) const noexcept {
            if (file != stdout) std::fclose(file);
        }
    };

    void begin();
    void add_object(const row_object& row);
    void add_line(const row_object& row);
    void flush();
    [[noreturn]] void failed(int number) const;

    std::string path_;
    format as_;
    bool begun_;
    std::unique_ptr<std::FILE, close_file> file_;
    bool goes_back_ = false;
    long end_of_rows_ = 0; // where the closing bracket stands
    std::size_t rows_ = 0;
};

} // namespace tutti::tools

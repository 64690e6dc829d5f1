// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "row_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

namespace tutti::tools {
namespace {

/// Quoted where it must be, by RFC 4180.
std::string cell_of(const row_object& value) {
    if (value.is_null()) return "";
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + "\"";
}

} // namespace

void append_row(int file, const row_object& row) {
    const std::string line = row.dump() + "\n";
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        throw std::system_error(errno, std::generic_category(), "cannot keep the rows of a launch");
}

row_file::row_file(const std::string& path, format as, bool continues)
    : path_(path), as_(as), begun_(continues), file_(path == "-" ? stdout : nullptr) {
    std::error_code none;
    if (!file_ && (continues || std::filesystem::is_regular_file(path, none)))
        file_.reset(std::fopen(path.c_str(), "r+"));
    if (!file_) file_.reset(std::fopen(path.c_str(), "w")); // new, a pipe, or one that may only be written
    if (!file_) failed(errno);
    goes_back_ = file_.get() != stdout && std::ftell(file_.get()) >= 0; // a pipe has no place to go back to
    if (!continues && std::filesystem::is_empty(path, none) && !none) begin(), flush(); // there is nothing to keep
    if (!continues) return;
    rows_ = 1;
    constexpr std::string_view end = "\n]\n";
    if (goes_back_) std::fseek(file_.get(), as_ == format::json ? -static_cast<long>(end.size()) : 0, SEEK_END);
    end_of_rows_ = std::ftell(file_.get());
}

// What stood there stays until there is something to take its place.
void row_file::begin() {
    if (std::exchange(begun_, true)) return;
    if (goes_back_ && ::ftruncate(::fileno(file_.get()), 0) != 0 && errno != EINVAL) failed(errno); // /dev/null
    if (as_ != format::json) return;
    fmt::print(file_.get(), "[");
    if (!goes_back_) return;
    end_of_rows_ = std::ftell(file_.get());
    fmt::print(file_.get(), "]\n");
}

void row_file::add(const row_object& row) {
    begin();
    as_ == format::json ? add_object(row) : add_line(row);
    ++rows_;
    flush();
}

// The closing bracket is written again and again.
void row_file::add_object(const row_object& row) {
    if (goes_back_) std::fseek(file_.get(), end_of_rows_, SEEK_SET);
    fmt::print(file_.get(), "{}\n{}", rows_ == 0 ? "" : ",", row.dump());
    if (!goes_back_) return;
    end_of_rows_ = std::ftell(file_.get());
    fmt::print(file_.get(), "\n]\n");
}

void row_file::add_line(const row_object& row) {
    std::vector<std::string> names, cells;
    for (const auto& [key, value] : row.items()) {
        names.push_back(key);
        cells.push_back(cell_of(value));
    }
    if (rows_ == 0) fmt::print(file_.get(), "{}\n", fmt::join(names, ","));
    fmt::print(file_.get(), "{}\n", fmt::join(cells, ","));
}

void row_file::finish(bool complete) {
    if (complete) begin();
    if (as_ == format::json && !goes_back_ && complete) fmt::print(file_.get(), "\n]\n");
    if (file_.get() == stdout) return flush();
    if (std::fclose(file_.release()) != 0) failed(errno);
}

void row_file::flush() {
    if (std::fflush(file_.get()) != 0 || std::ferror(file_.get())) failed(errno);
}

void row_file::failed(int number) const {
    throw std::system_error(number, std::generic_category(),
                            "cannot write " + (path_ == "-" ? "standard output" : path_));
}

} // namespace tutti::tools

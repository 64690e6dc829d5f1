// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {

/// One line on standard error that says what is being done, where that is a terminal; nothing anywhere else.
class progress_line {
public:
    explicit progress_line(bool wanted = true) : shown_(wanted && isatty(STDERR_FILENO) != 0) {}
    progress_line(const progress_line&) = delete;
    ~progress_line() { clear(); }

    void show(std::string_view text) {
        if (!shown_) return;
        fmt::print(stderr, "\r\033[K{}", text);
        std::fflush(stderr);
        dirty_ = true;
    }
    /// Must be called before anything else is printed.
    void clear() {
        if (!dirty_) return;
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        dirty_ = false;
    }

private:
    bool shown_;
    bool dirty_ = false;
};

} // namespace tutti::tools

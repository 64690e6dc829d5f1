// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tutti::tools {

/// "3 of 40, 20 s left: ", where so many of equal parts were done after that time; nothing is said of what is left
/// before one is done.
[[nodiscard]] inline std::string progress_text(std::size_t done, std::size_t all, std::chrono::duration<double> after) {
    const std::string part = fmt::format("{} of {}", done + 1, all);
    if (done == 0) return part + ": ";
    const double left_s = after.count() / static_cast<double>(done) * static_cast<double>(all - done);
    return part +
           (left_s < 90 ? fmt::format(", {:.0f} s left: ", left_s) : fmt::format(", {:.0f} min left: ", left_s / 60));
}

/// What is said of progress where standard error is no terminal.
enum class without_terminal : std::uint8_t { nothing, lines };

/// One line on standard error that says what is being done, where that is a terminal; anywhere else nothing, or a line
/// for each step. No longer than the terminal is wide: a line that wraps could not be taken back.
class progress_line {
public:
    explicit progress_line(bool wanted = true, without_terminal otherwise = without_terminal::nothing)
        : shown_(wanted && isatty(STDERR_FILENO) != 0),
          lines_(wanted && !shown_ && otherwise == without_terminal::lines) {}
    progress_line(const progress_line&) = delete;
    ~progress_line() { clear(); }

    void show(std::string_view text) {
        if (lines_) fmt::print(stderr, "{}\n", text);
        if (!shown_) return;
        fmt::print(stderr, "\r\033[K{}", text.substr(0, width()));
        std::fflush(stderr);
        dirty_ = true;
    }
    /// Likewise, with how far it is since this object was made.
    void show(std::size_t done, std::size_t all, std::string_view text) {
        if (shown_ || lines_) show(progress_text(done, all, clock::now() - begin_).append(text));
    }
    /// Must be called before anything else is printed.
    void clear() {
        if (!dirty_) return;
        fmt::print(stderr, "\r\033[K");
        std::fflush(stderr);
        dirty_ = false;
    }

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] static std::size_t width() {
        winsize window{};
        const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
        return known ? window.ws_col - std::size_t{1} : 79;
    }

    bool shown_, lines_;
    bool dirty_ = false;
    clock::time_point begin_ = clock::now();
};

} // namespace tutti::tools

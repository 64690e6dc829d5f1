// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::tools {

/// Turns a stream that comes in arbitrary pieces into whole lines with a prefix, so that the output of several
/// processes never mixes within a line.
class line_prefixer {
public:
    explicit line_prefixer(std::string prefix) : prefix_(std::move(prefix)) {}

    /// The lines that `piece` completes, each with its prefix; what follows the last newline is kept for later.
    [[nodiscard]] std::string take(std::string_view piece) {
        std::string lines;
        for (std::size_t end; (end = piece.find('\n')) != piece.npos; piece.remove_prefix(end + 1)) {
            lines += prefix_ + rest_;
            lines += piece.substr(0, end + 1);
            rest_.clear();
        }
        rest_ += piece;
        if (rest_.size() > longest_line) lines += finish();
        return lines;
    }

    /// The last line of a stream that ended without a newline, completed; empty if there is none.
    [[nodiscard]] std::string finish() {
        if (rest_.empty()) return {};
        return prefix_ + std::exchange(rest_, {}) + '\n';
    }

private:
    static constexpr std::size_t longest_line = 1 << 20; // bounds the memory that a stream without newlines can take

    std::string prefix_;
    std::string rest_;
};

} // namespace tutti::tools

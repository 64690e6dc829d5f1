// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {

/// Puts the rank in front of lines of standard error, and makes one line of what several ranks say alike as they end:
/// "[0-3] terminate called ...". Lines are alike if they differ in numbers only, and no number is lost: where they
/// differ, the line has those of all its ranks, as in "[0-2] step {3,3,5}".
///
/// Only the texts of uncaught exceptions, and lines that begin with "tutti: ", are held back for it, and what their
/// rank says after them; all else goes out at once. Each rank's lines stay in order.
class unison {
public:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds window{500}; ///< the longest that a line is held back
    static constexpr std::size_t most_bytes = 1 << 20;      ///< held; beyond that all goes out

    explicit unison(int ranks) : held_(static_cast<std::size_t>(ranks)) {}

    /// Takes whole lines of a rank; what is to go out at once.
    [[nodiscard]] std::string take(int rank, std::string_view lines, clock::time_point now) {
        std::string out;
        auto& mine = held_[static_cast<std::size_t>(rank)];
        while (!lines.empty()) {
            const std::string_view line = lines.substr(0, lines.find('\n'));
            lines.remove_prefix(std::min(line.size() + 1, lines.size()));
            if (mine.empty() && !ends_a_rank(line)) {
                out += fmt::format("[{}] {}\n", rank, line);
                continue;
            }
            if (empty()) due_ = now + window;
            bytes_ += line.size() + 1;
            mine.emplace_back(line);
        }
        return bytes_ > most_bytes ? out + release() : out;
    }

    /// All that is held back, what is alike in one line.
    [[nodiscard]] std::string release() {
        std::string out;
        for (auto& first : held_)
            while (!first.empty()) out += chord(first.front());
        bytes_ = 0;
        return out;
    }

    [[nodiscard]] bool empty() const noexcept { return bytes_ == 0; }
    /// When release() is wanted at the latest.
    [[nodiscard]] clock::time_point due() const noexcept { return empty() ? clock::time_point::max() : due_; }

private:
    /// What programs say of an error that nobody catches: by libstdc++, by libc++, and by main() that prints what().
    static bool ends_a_rank(std::string_view line) noexcept {
        return line.starts_with("terminate called") || line.starts_with("  what():  ") ||
               line.starts_with("libc++abi: ") || line.starts_with("tutti: ");
    }

    static bool digit(char c) noexcept { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
    static std::size_t digits(std::string_view at) noexcept {
        return static_cast<std::size_t>(std::find_if_not(at.begin(), at.end(), digit) - at.begin());
    }
    /// The line with one mark for each number.
    static std::string shape(std::string_view line) {
        std::string marked;
        while (!line.empty()) {
            const std::size_t number = digits(line);
            marked += number > 0 ? '\0' : line.front();
            line.remove_prefix(std::max<std::size_t>(number, 1));
        }
        return marked;
    }

    /// Takes the first line of every rank that has one like this, and makes one line of them.
    [[nodiscard]] std::string chord(const std::string& like) {
        const std::string wanted = shape(like);
        std::vector<int> ranks;
        std::vector<std::string> lines;
        for (std::size_t r = 0; r < held_.size(); ++r) {
            if (held_[r].empty() || shape(held_[r].front()) != wanted) continue;
            ranks.push_back(static_cast<int>(r));
            lines.push_back(std::move(held_[r].front()));
            held_[r].pop_front();
        }
        return fmt::format("[{}] {}\n", spans(ranks), merged(lines));
    }

    /// "0-3,7".
    static std::string spans(const std::vector<int>& ranks) {
        std::string text;
        for (std::size_t i = 0; i < ranks.size();) {
            std::size_t last = i;
            while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
            if (i > 0) text += ',';
            text += last > i ? fmt::format("{}-{}", ranks[i], ranks[last]) : fmt::format("{}", ranks[i]);
            i = last + 1;
        }
        return text;
    }

    /// Lines of one shape in one, with all their numbers where these differ.
    static std::string merged(const std::vector<std::string>& lines) {
        std::string text;
        std::vector<std::string_view> rest(lines.begin(), lines.end());
        while (!rest.front().empty()) {
            if (digits(rest.front()) == 0) {
                text += rest.front().front();
                for (std::string_view& r : rest) r.remove_prefix(1);
                continue;
            }
            std::vector<std::string_view> numbers;
            for (std::string_view& r : rest) {
                numbers.push_back(r.substr(0, digits(r)));
                r.remove_prefix(numbers.back().size());
            }
            const bool equal = std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to{}) == numbers.end();
            text += equal ? std::string(numbers.front()) : fmt::format("{{{}}}", fmt::join(numbers, ","));
        }
        return text;
    }

    std::vector<std::deque<std::string>> held_; // by rank
    std::size_t bytes_ = 0;                     // held, newlines included
    clock::time_point due_ = clock::time_point::max();
};

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tutti::tools {

/// The words of "a,b,c", or of "a, b, c"; with another character between them, of "a:b:c".
[[nodiscard]] inline std::vector<std::string> split_list(std::string_view text, char between = ',') {
    std::vector<std::string> words;
    for (;;) {
        const std::size_t comma = std::min(text.find(between), text.size());
        const std::string_view word = text.substr(0, comma);
        const std::size_t first = std::min(word.find_first_not_of(' '), word.size());
        words.emplace_back(word.substr(first, word.find_last_not_of(' ') + 1 - first));
        if (comma == text.size()) return words;
        text.remove_prefix(comma + 1);
    }
}

/// "a, b, c"
[[nodiscard]] inline std::string join(const auto& words, std::string_view between = ", ") {
    std::string text;
    for (const auto& word : words) text.append(text.empty() ? "" : between).append(word);
    return text;
}

/// "1 row", "2 rows".
[[nodiscard]] inline std::string counted(std::size_t n, std::string_view what) {
    return std::to_string(n).append(" ").append(what).append(n == 1 ? "" : "s");
}

/// Numbers as they stand, from "0,1,0,1". Throws std::invalid_argument that quotes what was written, and says that it
/// is no `what`: "list of hosts: write 2, or 0,1,0,1".
[[nodiscard]] inline std::vector<int> parse_numbers(std::string_view text, std::string_view what) {
    std::vector<int> all;
    for (const std::string& word : split_list(text)) {
        int value = 0;
        const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (wrong != std::errc{} || end != word.data() + word.size() || value < 0)
            throw std::invalid_argument("'" + std::string(text) + "' is no " + std::string(what));
        all.push_back(value);
    }
    return all;
}

/// Numbers of nodes.
[[nodiscard]] inline std::vector<int> parse_nodes(std::string_view text) {
    return parse_numbers(text, "list of hosts: write 2, or 0,1,0,1");
}

/// Numbers of ranks from "4", "1..64", "2,4,8", "2..1024*2" (each twice the former) or a mixture, ascending, each once.
/// Throws std::invalid_argument that quotes what was written; `what` are counted.
[[nodiscard]] inline std::vector<int> parse_ranks(std::string_view text, int most = 65536,
                                                  const std::string& what = "ranks") {
    const auto number = [&](std::string_view word) {
        int value = 0;
        const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (wrong != std::errc{} || end != word.data() + word.size() || value < 1 || value > most)
            throw std::invalid_argument("'" + std::string(text) + "' is no list of " + what +
                                        ": write 4, 1..64, 2,4,8 or 2..1024*2, from 1 to " + std::to_string(most));
        return value;
    };
    std::vector<int> ranks;
    for (const std::string& word : split_list(text)) {
        const std::size_t dots = word.find("..");
        const int first = number(std::string_view{word}.substr(0, dots));
        const std::string_view rest = dots == word.npos ? std::string_view{} : std::string_view{word}.substr(dots + 2);
        const std::size_t star = rest.find('*');
        const int last = dots == word.npos ? first : number(rest.substr(0, star));
        const int factor = star == rest.npos ? 1 : number(rest.substr(star + 1));
        if (first > last) throw std::invalid_argument("'" + std::string(text) + "' counts downwards");
        for (long long r = first; r <= last; r = factor > 1 ? r * factor : r + 1) ranks.push_back(static_cast<int>(r));
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

} // namespace tutti::tools

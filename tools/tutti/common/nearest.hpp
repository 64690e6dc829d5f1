// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What somebody may have meant who wrote a name that there is not.
namespace tutti::tools {

namespace detail {

/// Letters and digits in lower case: '-' and '_' are written for each other, and left out.
[[nodiscard]] inline std::string bare(std::string_view word) {
    std::string letters;
    for (const char c : word)
        if (c != '-' && c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

} // namespace detail

/// How many letters are inserted, removed, replaced or swapped with their neighbour between one word and the other.
/// No letter is edited twice.
[[nodiscard]] inline std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                next[j] = std::min(next[j], before[j - 2] + 1);
        }
        before.swap(row);
        row.swap(next);
    }
    return row[b.size()];
}

/// The name that is nearest to a word; the first of several. None where all differ in more than a third of their
/// letters. The beginning of a name, of three letters at least, counts as one edit.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const auto& names) {
    const std::string written = detail::bare(word);
    std::optional<std::string> found;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const auto& name : names) {
        const std::string known = detail::bare(name);
        const bool begins = written.size() >= 3 && known.starts_with(written) && known != written;
        const std::size_t distance = begins ? 1 : edits(written, known);
        const std::size_t most = std::max<std::size_t>(1, std::max(written.size(), known.size()) / 3);
        if (distance >= least || distance > most || distance >= known.size()) continue;
        least = distance;
        found = std::string(name);
    }
    return found;
}

/// " (did you mean ring?); ", or "; " where no name is near: to be put between what is wrong and what would be right.
[[nodiscard]] std::string did_you_mean(std::string_view word, const auto& names) {
    const auto near = nearest(word, names);
    return near ? " (did you mean " + *near + "?); " : "; ";
}

} // namespace tutti::tools

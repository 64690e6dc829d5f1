// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <base/error.hpp>

#include <charconv>
#include <string>
#include <string_view>

namespace tutti::tools {

/// The rank that an error of the library, somewhere in what a program has printed, names as the one at fault; -1 where
/// there is none. See message_of().
[[nodiscard]] inline int named_rank(std::string_view lines) {
    constexpr std::string_view mark = ", rank ";
    for (const cause why : {cause::lost_peer, cause::timeout, cause::aborted}) {
        const std::size_t begin = lines.find("tutti: " + std::string(name_of(why)));
        if (begin == lines.npos) continue;
        const std::string_view line = lines.substr(begin, lines.find('\n', begin) - begin);
        const std::size_t at = line.find(mark);
        int rank = -1;
        if (at != line.npos) std::from_chars(line.data() + at + mark.size(), line.data() + line.size(), rank);
        if (rank >= 0) return rank;
    }
    return -1;
}

} // namespace tutti::tools

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <limits>
#include <string>

namespace tutti::detail {

/// The bytes of the longest file that this process may make, its file size limit. Memory that is shared counts as a
/// file. A process that goes beyond is killed by SIGXFSZ without a word, unless it looks here first.
[[nodiscard]] inline std::uint64_t most_file_bytes() noexcept {
    rlimit most{};
    if (::getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::uint64_t>::max();
    return most.rlim_cur;
}

/// Why something that counts as a file cannot be so long.
[[nodiscard]] inline std::string words_of_file_limit() {
    return "no file may be longer than " + std::to_string(most_file_bytes()) +
           " bytes here, by the file size limit of this process (ulimit -f)";
}

} // namespace tutti::detail

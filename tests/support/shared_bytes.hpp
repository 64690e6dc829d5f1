// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <system_error>

namespace tutti::test {

/// The memory that all segments of shared memory take which this process has open, each once.
[[nodiscard]] inline std::size_t shared_bytes() {
    std::map<ino_t, std::size_t> by_file;
    for (const auto& open : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        std::error_code gone;
        const auto target = std::filesystem::read_symlink(open.path(), gone);
        struct stat s {};
        if (gone || !target.string().starts_with("/memfd:tutti")) continue;
        constexpr std::size_t unit = 512; // of st_blocks
        if (::stat(open.path().c_str(), &s) == 0) by_file[s.st_ino] = static_cast<std::size_t>(s.st_blocks) * unit;
    }
    std::size_t sum = 0;
    for (const auto& [file, bytes] : by_file) sum += bytes;
    return sum;
}

} // namespace tutti::test

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace tutti::transport::status {

/// What the kernel tells of a process.
struct process_facts {
    char state = '?';        ///< as in ps(1): R, S, D, T stopped by a signal, t by a debugger, Z dead
    std::uint64_t start = 0; ///< in ticks since boot
};

/// Nothing if there is no such process, or no /proc.
TUTTI_COLD [[nodiscard]] inline std::optional<process_facts> facts_of_process(const std::string& pid) {
    std::ifstream in("/proc/" + pid + "/stat");
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    const auto name_ends = line.rfind(')'); // a name may have any character
    if (name_ends == std::string::npos) return std::nullopt;
    std::istringstream fields(line.substr(name_ends + 1));
    process_facts f;
    std::string skipped;
    fields >> f.state;
    for (int field = 4; field <= 21; ++field) fields >> skipped;
    if (!(fields >> f.start)) return std::nullopt;
    return f;
}

/// The words of this process's command line, separated by spaces.
[[nodiscard]] inline std::string own_command_line() {
    std::ifstream in("/proc/self/cmdline");
    std::string line{std::istreambuf_iterator<char>(in), {}};
    while (!line.empty() && line.back() == '\0') line.pop_back();
    for (char& c : line)
        if (c == '\0') c = ' ';
    return line;
}

} // namespace tutti::transport::status

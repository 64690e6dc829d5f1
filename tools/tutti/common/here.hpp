// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <ctime>
#include <fstream>
#include <string>

#include <sys/utsname.h>

/// Facts of this host, as files of results tell them.
namespace tutti::tools {

/// "AMD EPYC 7763 64-Core Processor"; where that is not told, the architecture.
[[nodiscard]] inline std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    utsname names{};
    return uname(&names) == 0 ? names.machine : "an unknown processor";
}

/// "Linux 6.1.0".
[[nodiscard]] inline std::string kernel_name() {
    utsname names{};
    return uname(&names) == 0 ? std::string(names.sysname) + " " + names.release : "";
}

/// The time in UTC, as strftime writes it by `format`.
[[nodiscard]] inline std::string utc_time(const char* format) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), format, &parts);
    return text.data();
}

} // namespace tutti::tools

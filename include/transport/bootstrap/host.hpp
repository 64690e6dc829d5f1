// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "member.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace tutti::transport::bootstrap {

[[nodiscard]] inline std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

/// The cores that this process may run on.
[[nodiscard]] inline std::uint32_t usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    // Fails where the machine has more cores than the set has bits.
    if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return static_cast<std::uint32_t>(CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

/// This process as a member of a world, on a host of that name; rank, size and data port are the caller's to fill in.
[[nodiscard]] inline member this_process(const std::string& host = host_name()) {
    member m;
    m.host = host;
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    m.host_id = boot + "/" + m.host;
    m.cores = usable_cores();
    m.pid = ::getpid();
    return m;
}

} // namespace tutti::transport::bootstrap

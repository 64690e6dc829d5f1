// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

namespace tutti::transport::detail::shm {

/// What decides whether two processes of a host may open each other's descriptors through /proc, which is how memory is
/// shared: the rules of the kernel's ptrace_may_access() for reading. Ranks tell each other theirs, so that both ends
/// decide alike.
struct openness {
    std::uint64_t processes = 0; ///< its namespace of processes: ids mean others elsewhere
    std::uint64_t users = 0;     ///< its namespace of users
    std::uint32_t user = 0;      ///< that it runs as
    std::uint32_t group = 0;     ///< likewise
    bool is_readable = true;     ///< false of a program that may be run and not read, or that has changed its user
    bool opens_all = false;      ///< it may trace all processes of its namespace of users

    friend bool operator==(const openness&, const openness&) = default;

    [[nodiscard]] static openness own() {
        return {number_of("/proc/self/ns/pid"),
                number_of("/proc/self/ns/user"),
                ::geteuid(),
                ::getegid(),
                ::prctl(PR_GET_DUMPABLE) == 1,
                may_trace()};
    }

private:
    [[nodiscard]] static std::uint64_t number_of(const char* name) {
        struct stat facts {};
        return ::stat(name, &facts) == 0 ? facts.st_ino : 0;
    }
    [[nodiscard]] static bool may_trace() {
        __user_cap_header_struct how{_LINUX_CAPABILITY_VERSION_3, 0};
        std::array<__user_cap_data_struct, 2> has{};
        return ::syscall(SYS_capget, &how, has.data()) == 0 && (has[0].effective & 1U << CAP_SYS_PTRACE) != 0;
    }
};

/// Why one of them may not open the other's; empty where both may. Equal for (b, a).
[[nodiscard]] inline std::string barrier_between(const openness& a, const openness& b) {
    if (a.processes != b.processes) return "they run in different containers";
    const auto is_closed = [](const openness& from, const openness& to) {
        return !(from.opens_all && from.users == to.users);
    };
    if ((a.user != b.user || a.group != b.group || a.users != b.users) && (is_closed(a, b) || is_closed(b, a)))
        return "they run as different users or groups";
    if ((!a.is_readable && is_closed(b, a)) || (!b.is_readable && is_closed(a, b)))
        return "a program that may be run and not read (chmod +r) keeps others of its user out";
    return {};
}

} // namespace tutti::transport::detail::shm

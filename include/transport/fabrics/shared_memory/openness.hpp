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
    std::uint64_t may = 0;       ///< its effective capabilities, a bit each
    std::uint64_t might = 0;     ///< those that it could make effective

    friend bool operator==(const openness&, const openness&) = default;

    [[nodiscard]] static openness own() {
        openness mine;
        mine.processes = number_of("/proc/self/ns/pid");
        mine.users = number_of("/proc/self/ns/user");
        mine.user = ::geteuid();
        mine.group = ::getegid();
        mine.is_readable = ::prctl(PR_GET_DUMPABLE) == 1;
        __user_cap_header_struct how{_LINUX_CAPABILITY_VERSION_3, 0};
        std::array<__user_cap_data_struct, 2> has{};
        if (::syscall(SYS_capget, &how, has.data()) == 0) {
            mine.may = has[0].effective | std::uint64_t{has[1].effective} << 32;
            mine.might = has[0].permitted | std::uint64_t{has[1].permitted} << 32;
        }
        mine.opens_all = (mine.may >> CAP_SYS_PTRACE & 1) != 0;
        return mine;
    }

private:
    [[nodiscard]] static std::uint64_t number_of(const char* name) {
        struct stat facts {};
        return ::stat(name, &facts) == 0 ? facts.st_ino : 0;
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
    if (((a.might & ~b.may) != 0 && is_closed(b, a)) || ((b.might & ~a.may) != 0 && is_closed(a, b)))
        return "one of them has capabilities that the other has not";
    return {};
}

} // namespace tutti::transport::detail::shm

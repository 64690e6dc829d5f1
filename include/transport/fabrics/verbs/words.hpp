// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <infiniband/verbs.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

namespace tutti::transport::detail::verbs {

/// The error of a work request, in words.
[[nodiscard]] inline std::string words_of(ibv_wc_status status) {
    return std::string("its queue pair failed: ") + ibv_wc_status_str(status) + " (work completion status " +
           std::to_string(static_cast<int>(status)) + ")";
}

[[nodiscard]] inline std::string words_of_limit() {
    rlimit all{};
    ::getrlimit(RLIMIT_MEMLOCK, &all);
    return all.rlim_cur == RLIM_INFINITY ? "without a limit" : "limited to " + std::to_string(all.rlim_cur) + " bytes";
}

/// Why memory could not be registered, and the remedy; begins with "it".
[[nodiscard]] inline std::string words_of_registration(std::size_t bytes, std::size_t pinned, int code) {
    const std::string what = "it cannot register " + std::to_string(bytes) + " bytes for RDMA beside " +
                             std::to_string(pinned) + " that it has: ";
    if (code == ENOMEM || code == EAGAIN || code == EPERM)
        return what + "locked memory is " + words_of_limit() +
               ": raise that (ulimit -l unlimited, LimitMEMLOCK=infinity for a service, or memlock in limits.conf)";
    return what + std::generic_category().message(code);
}

} // namespace tutti::transport::detail::verbs

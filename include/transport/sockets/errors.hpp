// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../base/linkage.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <sys/resource.h>

namespace tutti::transport::bootstrap {

/// Throws the error for a rank that cannot join the others; `peer` is the rank at fault, where one is known.
TUTTI_COLD [[noreturn]] inline void bootstrap_failed(std::string detail, std::string remedy = {}, int peer = -1) {
    fault f;
    f.why = cause::bootstrap;
    f.peer = peer;
    f.detail = std::move(detail);
    f.remedy = std::move(remedy);
    throw error(std::move(f));
}

} // namespace tutti::transport::bootstrap

/// Resources that a process may run out of. That is never the fault of a peer.
namespace tutti::transport::bootstrap {

/// How many descriptors this process may have, and how many it may allow itself.
struct descriptor_limit {
    std::size_t soft = 0;
    std::size_t hard = 0;

    [[nodiscard]] static descriptor_limit now() noexcept {
        rlimit all{};
        if (::getrlimit(RLIMIT_NOFILE, &all) != 0) return {};
        return {all.rlim_cur, all.rlim_max};
    }
};

/// Raises the soft limit of descriptors to the hard one. True if that allows more of them than before. Leaves errno as
/// it is: a caller that tries again may still have to report the first error.
inline bool raise_descriptor_limit() noexcept {
    const int before = errno;
    rlimit all{};
    ::getrlimit(RLIMIT_NOFILE, &all);
    const bool room = all.rlim_cur < all.rlim_max;
    all.rlim_cur = all.rlim_max;
    const bool raised = room && ::setrlimit(RLIMIT_NOFILE, &all) == 0;
    errno = before;
    return raised;
}

/// What `open()` gives, a descriptor or -1, once more where the process may raise its limit for that.
template <class Open>
[[nodiscard]] int opened_within_limit(Open&& open) {
    const int fd = open();
    return fd < 0 && errno == EMFILE && raise_descriptor_limit() ? open() : fd;
}

/// This process can have so many descriptors in all; raises the soft limit where that is needed.
[[nodiscard]] inline bool make_room_for_descriptors(std::size_t wanted) noexcept {
    return wanted <= descriptor_limit::now().soft ||
           (raise_descriptor_limit() && wanted <= descriptor_limit::now().soft);
}

/// Whether this process has descriptors to spare for strangers when `newest` was the last that it got: the system
/// always gives the lowest that is free. A quarter of all, 64 at most, is kept for the process itself.
/// Who makes room by closing one gets a low one next: then the number of strangers is to be kept, not this asked again.
[[nodiscard]] inline bool can_spare_descriptors(int newest) noexcept {
    const auto fits = [newest](std::size_t limit) {
        return static_cast<std::size_t>(newest) + std::min<std::size_t>(limit / 4, 64) < limit;
    };
    return fits(descriptor_limit::now().soft) || (raise_descriptor_limit() && fits(descriptor_limit::now().soft));
}

/// The resource that this process lacks by an error of the system, with the limit and the remedy; empty if it lacks
/// none.
[[nodiscard]] inline std::optional<std::string> shortage_in_words(int code) {
    const auto limit = descriptor_limit::now();
    switch (code) {
    case EMFILE:
        return "it has run out of file descriptors, of which it may have " + std::to_string(limit.soft) +
               ": raise that limit (ulimit -n; " + std::to_string(limit.hard) + " is the most that it may set itself)";
    case ENFILE:
        return "its system has run out of open files: raise fs.file-max (sysctl), or run fewer processes there";
    case ENOBUFS: return "its system has no memory for another connection: free some, or run fewer processes there";
    case ENOMEM: return "it gets no more memory: raise its limits (ulimit -v), or let it and its host need less";
    default: return std::nullopt;
    }
}

/// Why this process could not do something, by an error of the system; what it lacks with the limit and the remedy.
[[nodiscard]] inline std::string reason_in_words(int code) {
    return shortage_in_words(code).value_or(std::generic_category().message(code));
}

} // namespace tutti::transport::bootstrap

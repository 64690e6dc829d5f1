// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/types.h>
#include <sys/uio.h>

namespace tutti::transport::detail::shm {

/// Copies memory of another process of the same user. False if the kernel does not allow it (Yama's ptrace_scope, a
/// container's seccomp rules), the process is gone, or it has no such memory.
[[nodiscard]] inline bool read_foreign(pid_t process, std::uint64_t from, std::byte* to, std::size_t bytes) noexcept {
    while (bytes > 0) {
        const iovec here{to, bytes};
        const iovec there{reinterpret_cast<void*>(from), bytes}; // NOLINT(performance-no-int-to-ptr)
        const ssize_t copied = ::process_vm_readv(process, &here, 1, &there, 1, 0);
        if (copied <= 0) return false;
        const auto n = static_cast<std::size_t>(copied);
        from += n;
        to += n;
        bytes -= n;
    }
    return true;
}

} // namespace tutti::transport::detail::shm

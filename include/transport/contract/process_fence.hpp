// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <thread>

#if __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(SYS_membarrier)
#define TUTTI_HAS_MEMBARRIER
#endif
#endif

namespace tutti::transport::detail {

/// A memory fence in all threads of this process at once, by membarrier(2): frequent paths then need none.
class process_fence {
public:
    /// Asks the kernel for it, once a process. A process of one thread gets it at once. One of several threads waits
    /// for a grace period of the kernel's: milliseconds, on a busy machine seconds. So it is called before a rank joins
    /// its world, and before the library starts a thread; never inside a call with a deadline.
    static void prepare() noexcept {
#if defined(TUTTI_HAS_MEMBARRIER)
        static const long asked = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
        static_cast<void>(asked);
#endif
    }

    /// After it this thread sees what others stored before, and they see what it had stored when they load after.
    /// Cost: microseconds; a millisecond where the kernel does not offer it.
    static void issue() noexcept {
#if defined(TUTTI_HAS_MEMBARRIER)
        if (::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
#endif
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // longer than a store takes
    }
};

} // namespace tutti::transport::detail

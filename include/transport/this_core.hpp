// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <thread>

#include <sched.h>
#include <sys/resource.h>

namespace tutti::transport::detail {

/// What a thread that waits can do with the core that it runs on.
struct this_core {
    using clock = std::chrono::steady_clock;

    [[nodiscard]] static clock::time_point now() noexcept { return clock::now(); }

    /// Tells the core that this is a spin, so that its sibling thread and the memory bus get a rest.
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }

    /// Lets another thread run here, if one wants to.
    static void yield() noexcept { std::this_thread::yield(); }

    /// How often another thread has run here because this one yielded or its time was up. Sleeping does not count.
    [[nodiscard]] static long times_left() noexcept {
        rusage used{};
        return ::getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nivcsw : 0;
    }

    /// Moves this thread to one of the processors that it may run on. It may run on all of them again on return.
    /// Another change of them by another thread, at this very moment, is undone. Does nothing where the kernel refuses.
    static void move_to(int processor) noexcept {
        cpu_set_t allowed, wanted;
        if (processor < 0 || processor >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
        if (!CPU_ISSET(processor, &allowed) || ::sched_getcpu() == processor) return;
        CPU_ZERO(&wanted);
        CPU_SET(processor, &wanted);
        if (::sched_setaffinity(0, sizeof wanted, &wanted) == 0)
            static_cast<void>(::sched_setaffinity(0, sizeof allowed, &allowed));
    }
};

} // namespace tutti::transport::detail

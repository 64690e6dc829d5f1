// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
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
    struct absence_count {
        std::thread::id thread; ///< whose
        long number = 0;
    };
    [[nodiscard]] static absence_count absences() noexcept {
        rusage used{};
        return {std::this_thread::get_id(), ::getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_nivcsw : 0};
    }

    /// Moves this thread to one of the processors that it may run on. It may run on all of these again on return; they
    /// are its affinity from then on, which does not grow with a cpuset. A change by another thread, at this very
    /// moment, is undone. Does nothing where the kernel refuses.
    static void move_to(int processor) noexcept {
        cpu_set_t allowed, wanted;
        if (processor < 0 || processor >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
        const auto one = static_cast<std::size_t>(processor);
        if (!CPU_ISSET(one, &allowed) || ::sched_getcpu() == processor) return;
        CPU_ZERO(&wanted);
        CPU_SET(one, &wanted);
        if (::sched_setaffinity(0, sizeof wanted, &wanted) != 0) return;
        if (::sched_setaffinity(0, sizeof allowed, &allowed) == 0) return;
        std::fill_n(reinterpret_cast<unsigned char*>(&allowed), sizeof allowed, 0xff); // its cpuset has just changed
        static_cast<void>(::sched_setaffinity(0, sizeof allowed, &allowed));
    }
};

} // namespace tutti::transport::detail

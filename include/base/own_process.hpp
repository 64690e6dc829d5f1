// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "error.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

namespace tutti::detail {

/// The process in which an object was made. A child of fork(2) has copies of all objects of its parent. To use such a
/// copy, or to end it, would reach what the parent shares with others. The child of a bare clone(2) or of vfork(2), for
/// which no handler runs, is not told apart.
class TUTTI_SHARED own_process {
public:
    own_process() noexcept : forks_(counted()) {}

    /// The object was made here: false in a child. Costs a load. Any thread.
    [[nodiscard]] bool is_this() const noexcept { return forks_ == forks; }
    /// Throws invalid_argument in a child.
    void require_this() const {
        if (!is_this()) [[unlikely]]
            refuse();
    }

private:
    [[noreturn, gnu::noinline]] TUTTI_COLD static void refuse() {
        reject({}, "the world belongs to the process that this one was forked from",
               "make the call there, or make a world of this process's own");
    }
    /// From the first call on, forks are counted.
    static unsigned counted() noexcept {
        [[maybe_unused]] static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
        return forks;
    }
    /// From the first process that counted down to this one. A child's only thread writes it before fork() returns
    /// there, and nobody later: all threads that read it were made after that.
    static inline unsigned forks = 0;

    unsigned forks_;
};

/// Keeps what it points to until the process ends, so that it can still be reached and is no leak. Any thread. Takes no
/// lock: another thread may have held one when the process was forked.
inline void keep_for_good(const void* what) noexcept {
    struct kept {
        const void* what;
        const kept* next;
    };
    static std::atomic<const kept*> all{nullptr};
    auto* const here = new (std::nothrow) kept{what, all.load(std::memory_order_relaxed)};
    if (!here) return; // it is kept all the same
    // Nobody reads the list: no order is needed.
    while (!all.compare_exchange_weak(here->next, here, std::memory_order_relaxed)) continue;
}

/// Deletes an object in the process that made it. In a child it stays as it is, with all that it holds.
struct delete_in_own_process {
    own_process maker{};

    template <class T>
    void operator()(T* object) const noexcept {
        if (maker.is_this()) return delete object;
        keep_for_good(object);
    }
};

} // namespace tutti::detail

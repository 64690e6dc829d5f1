// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../contract/transport.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace tutti::transport::detail {

/// A word that processes can sleep on, in memory that they share.
using futex_word = std::atomic<std::uint32_t>;
static_assert(futex_word::is_always_lock_free && sizeof(futex_word) == 4, "the kernel looks at the word itself");

/// Sleeps while the word holds `seen`, until woken or `until`. May return early.
inline void sleep_on(futex_word& word, std::uint32_t seen, clock::time_point until) noexcept {
    const auto left = std::max<std::chrono::nanoseconds>(until - clock::now(), std::chrono::nanoseconds{0});
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec limit{whole.count(), (left - whole).count()};
    ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

inline void wake_all(futex_word& word) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace tutti::transport::detail

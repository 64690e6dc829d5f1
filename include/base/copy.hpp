// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::detail {

/// Four vectors: all are read before the first is written.
template <std::size_t width>
[[gnu::always_inline]] inline void copy_four(std::byte* to, const std::byte* from) noexcept {
    typedef char vector __attribute__((vector_size(width)));
    vector a, b, c, d;
    __builtin_memcpy(&a, from, width);
    __builtin_memcpy(&b, from + width, width);
    __builtin_memcpy(&c, from + 2 * width, width);
    __builtin_memcpy(&d, from + 3 * width, width);
    __builtin_memcpy(to, &a, width);
    __builtin_memcpy(to + width, &b, width);
    __builtin_memcpy(to + 2 * width, &c, width);
    __builtin_memcpy(to + 3 * width, &d, width);
}

/// Copies at least eight vectors, in lines of the cache of the destination. Where that lies a little further behind a
/// page's start than the source, it begins at the end. Processors compare the last twelve bits of addresses alone to
/// tell whether a load has to wait for a store. Forwards, each load would seem to follow a store of the round before.
template <std::size_t width>
[[gnu::always_inline]] inline void copy_by_vectors(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    constexpr std::size_t line = 64, round = 4 * width, page = 4096, near = 256;
    const auto address = reinterpret_cast<std::uintptr_t>(to);
    const std::size_t behind = (address - reinterpret_cast<std::uintptr_t>(from)) % page;
    copy_four<width>(to, from);
    copy_four<width>(to + bytes - round, from + bytes - round);
    if (behind == 0 || behind >= near) {
        for (std::size_t at = line - address % line; at + round < bytes; at += round)
            copy_four<width>(to + at, from + at);
    } else {
        for (std::size_t end = bytes - (address + bytes) % line; end > round; end -= round)
            copy_four<width>(to + end - round, from + end - round);
    }
}

#if defined(__x86_64__)
[[gnu::noinline, gnu::target("avx2")]] inline void copy_by_avx2(std::byte* to, const std::byte* from,
                                                                std::size_t bytes) noexcept {
    copy_by_vectors<32>(to, from, bytes);
}
[[gnu::noinline]] inline void copy_by_sse2(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    copy_by_vectors<16>(to, from, bytes);
}
#endif

using long_copy = void (*)(std::byte*, const std::byte*, std::size_t) noexcept;

/// The copy of this processor for bytes that memcpy(3) may move by `rep movsb`; null: memcpy is the fastest.
[[nodiscard]] inline long_copy best_long_copy() noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("amd")) return __builtin_cpu_supports("avx2") ? copy_by_avx2 : copy_by_sse2;
#endif
    return nullptr;
}
/// Null as well before the program's variables are initialized.
inline const long_copy long_copy_here = best_long_copy();

/// What data in memory are copied with, by transports and the engine. Memory of std::vector begins 16 bytes behind a
/// page; there `rep movsb` falls to 2 GB/s on AMD's Zen 3. Until glibc 2.39, memcpy(3) takes that for 2 KiB and more,
/// up to the size of the second cache, beyond which it takes vectors, and stores past the caches. On an Intel
/// memcpy(3) is within 12 % of the fastest way from 16 KiB on, wherever the ranges begin (`bench/copy.cpp`).
/// Precondition: the ranges do not overlap, or are the same.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
    constexpr std::size_t least = 2048, most = std::size_t{1} << 20; // of those that may go by `rep movsb`
    if (!long_copy_here || bytes < least || bytes > most)
        std::memcpy(to, from, bytes);
    else
        long_copy_here(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

} // namespace tutti::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../memory.hpp"
#include "method.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

/// to = ((s0 ∘ s1) ∘ s2) ..., in one pass over memory. What is loaded of all sources is stored before anything behind
/// it is loaded, so `to` may be one of them.
namespace tutti::detail {

/// The sources of a reduction, at least one.
struct many_sources {
    const std::byte* const* first;
    std::size_t number;
};

/// From this size on a destination that is no source is written past the caches. Below it, whoever reads the result
/// finds it in the cache, which is worth more than the line that need not be read. Found by bench/reduction.cpp.
inline constexpr std::size_t streamed_bytes = std::size_t{8} << 20;

inline constexpr std::size_t cache_line_bytes = 64;

/// As many packs as there are indices, each in a register of its own while the sources go by.
template <class Pack, class Fold, bool streamed, std::size_t... i>
[[gnu::always_inline]] inline void reduce_packs(std::byte* to, many_sources from, std::size_t at,
                                                std::index_sequence<i...>) noexcept {
    typename Pack::vector total[sizeof...(i)];
    (Pack::template load<i>(total[i], from.first[0] + at), ...);
    (Fold::enter(total[i]), ...);
    for (std::size_t s = 1; s < from.number; ++s) {
        typename Pack::vector next[sizeof...(i)];
        (Pack::template load<i>(next[i], from.first[s] + at), ...);
        (Fold::enter(next[i]), ...);
        (Fold::add(total[i], next[i]), ...);
    }
    (Fold::leave(total[i]), ...);
    (Pack::template store<i, streamed>(to + at, total), ...);
}

/// What is left from byte `at` to byte `end`: registers of 16 bytes, then elements. Not inlined, so that it is compiled
/// once for all sets of instructions, and for the least of them.
template <class T, class Op>
[[gnu::noinline]] void reduce_rest(std::byte* to, many_sources from, std::size_t at, std::size_t end) noexcept {
    using how = method<T, Op, instructions::baseline, 16>;
    using small = how::pack;
    constexpr std::size_t bytes = small::fewest * small::bytes;
    for (; end - at >= bytes; at += bytes)
        reduce_packs<small, typename how::fold, false>(to, from, at, std::make_index_sequence<small::fewest>());
    for (; at < end; at += sizeof(T)) {
        wide<T> total = load<T>(from.first[0] + at);
        for (std::size_t s = 1; s < from.number; ++s) total = Op{}(total, wide<T>{load<T>(from.first[s] + at)});
        store<T>(to + at, T{total});
    }
}

/// Whether a large destination goes past the caches: its elements are aligned, and no source has brought it in.
[[nodiscard]] inline bool is_streamed(const std::byte* to, many_sources from, std::size_t element_bytes) noexcept {
    if (reinterpret_cast<std::uintptr_t>(to) % element_bytes != 0) return false;
    for (std::size_t s = 0; s < from.number; ++s)
        if (from.first[s] == to) return false;
    return true;
}

/// Bytes up to the next cache line.
[[nodiscard]] inline std::size_t bytes_to_line(const std::byte* at) noexcept {
    return -reinterpret_cast<std::uintptr_t>(at) % cache_line_bytes;
}

/// The packs for so many bytes of memory, at most four: more would leave the registers.
template <class Pack, std::size_t bytes>
using packs_for = std::make_index_sequence<(bytes < 4 * Pack::bytes ? bytes / Pack::bytes : 4)>;

template <class Pack, class Fold, bool streamed, std::size_t... i>
[[gnu::always_inline]] inline std::size_t reduce_run(std::byte* to, many_sources from, std::size_t at, std::size_t end,
                                                     std::index_sequence<i...> packs) noexcept {
    constexpr std::size_t bytes = sizeof...(i) * Pack::bytes;
    for (; end - at >= bytes; at += bytes) reduce_packs<Pack, Fold, streamed>(to, from, at, packs);
    return at;
}

/// `count` elements, for the instructions of the function that this is inlined into. Two cache lines of each source at
/// a time hide what the loop over the sources costs; where memory is what counts, one at a time is faster.
template <class T, class Op, instructions set, std::size_t streamed_from = streamed_bytes>
[[gnu::always_inline]] inline void reduce_all(std::byte* to, many_sources from, std::size_t count) noexcept {
    static_assert(streamed_from >= cache_line_bytes); // elements before the first line are reduced one by one
    using how = method<T, Op, set, register_bytes(set)>;
    using large = how::pack;
    using operation = how::fold;
    const std::size_t end = count * sizeof(T);
    std::size_t at = 0;
    if constexpr (has_streaming) {
        if (end >= streamed_from && is_streamed(to, from, sizeof(T))) {
            at = bytes_to_line(to);
            reduce_rest<T, Op>(to, from, 0, at);
            at = from.number == 2
                     ? reduce_run<large, operation, true>(to, from, at, end, packs_for<large, cache_line_bytes>())
                     : reduce_run<large, operation, true>(to, from, at, end, packs_for<large, 4 * cache_line_bytes>());
            end_stream();
        }
    }
    at = reduce_run<large, operation, false>(to, from, at, end, packs_for<large, 2 * cache_line_bytes>());
    at = reduce_run<large, operation, false>(to, from, at, end, std::make_index_sequence<large::fewest>());
    if (at < end) reduce_rest<T, Op>(to, from, at, end);
}

} // namespace tutti::detail

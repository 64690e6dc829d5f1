// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../memory.hpp"
#include "../scalar.hpp"
#include "compiled.hpp"
#include "pack.hpp"

#include <cstddef>
#include <utility>

/// to = from * factor for elements of 16 and 8 bits, rounded once: the last stage of an average, the first one of a
/// premultiplied sum. Other types need no vectors of ours for it. `to` is `from` or does not overlap it.
namespace tutti::detail {

template <class Pack, std::size_t... i>
[[gnu::always_inline]] inline void scale_packs(std::byte* to, const std::byte* from, float factor,
                                               std::index_sequence<i...>) noexcept {
    typename Pack::vector x[sizeof...(i)];
    (Pack::template load<i>(x[i], from), ...);
    ((x[i] *= factor), ...);
    (Pack::template store<i, false>(to, x), ...);
}

template <class T, instructions set>
[[gnu::always_inline]] inline void scale_all(std::byte* to, const std::byte* from, std::size_t count,
                                             float factor) noexcept {
    using large = pack<T, set, register_bytes(set)>;
    constexpr std::size_t packs = large::fewest < 2 ? 2 : large::fewest, bytes = packs * large::bytes;
    const std::size_t end = count * sizeof(T);
    std::size_t at = 0;
    for (; end - at >= bytes; at += bytes)
        scale_packs<large>(to + at, from + at, factor, std::make_index_sequence<packs>());
    for (; at < end; at += sizeof(T)) store<T>(to + at, T(multiply<float>(load<T>(from + at), factor)));
}

template <class T>
struct scale_kernel {
    using signature = void(std::byte*, const std::byte*, std::size_t, float);

    template <instructions set>
    [[gnu::always_inline]] static void run(std::byte* to, const std::byte* from, std::size_t count,
                                           float factor) noexcept {
        scale_all<T, set>(to, from, count, factor);
    }
};

/// Precondition: this processor has the instructions.
template <class T>
void scale(std::byte* to, const std::byte* from, std::size_t count, float factor, instructions set) noexcept {
    choose<scale_kernel<T>>(set, [=](auto function) { function.run(to, from, count, factor); });
}

} // namespace tutti::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../memory.hpp"
#include "../scalar.hpp"
#include "compiled.hpp"
#include "pack.hpp"

#include <cstddef>
#include <utility>

/// data = data * factor for elements of 16 and 8 bits, rounded once: the last stage of an average. Other types need no
/// vectors of ours for it.
namespace tutti::detail {

template <class Pack, std::size_t... i>
[[gnu::always_inline]] inline void scale_packs(std::byte* data, float factor, std::index_sequence<i...>) noexcept {
    typename Pack::vector x[sizeof...(i)];
    (Pack::template load<i>(x[i], data), ...);
    ((x[i] *= factor), ...);
    (Pack::template store<i, false>(data, x), ...);
}

template <class T, instructions set>
[[gnu::always_inline]] inline void scale_all(std::byte* data, std::size_t count, float factor) noexcept {
    using large = pack<T, set, register_bytes(set)>;
    constexpr std::size_t packs = large::fewest < 2 ? 2 : large::fewest, bytes = packs * large::bytes;
    const std::size_t end = count * sizeof(T);
    std::size_t at = 0;
    for (; end - at >= bytes; at += bytes) scale_packs<large>(data + at, factor, std::make_index_sequence<packs>());
    for (; at < end; at += sizeof(T)) store<T>(data + at, T(multiply<float>(load<T>(data + at), factor)));
}

template <class T>
struct scale_kernel {
    using signature = void(std::byte*, std::size_t, float);

    template <instructions set>
    [[gnu::always_inline]] static void run(std::byte* data, std::size_t count, float factor) noexcept {
        scale_all<T, set>(data, count, factor);
    }
};

/// Precondition: this processor has the instructions.
template <class T>
void scale(std::byte* data, std::size_t count, float factor, instructions set) noexcept {
    choose<scale_kernel<T>>(set, [=](auto function) { function.run(data, count, factor); });
}

} // namespace tutti::detail

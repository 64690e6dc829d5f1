// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "element.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

/// Elements in the user's memory, at any address.
namespace tutti::detail {

/// The bytes of T that hold its value: the long double of x86 has 10, and padding behind them.
template <class T>
inline constexpr std::size_t value_bytes =
    std::is_floating_point_v<T> && std::numeric_limits<T>::digits == 64 ? 10 : sizeof(T);

/// Reads an element from an address of any alignment. A record need not have a default constructor.
template <element T>
[[nodiscard]] inline T load(const std::byte* from) noexcept {
    if constexpr (std::is_trivially_default_constructible_v<T>) {
        T x;
        std::memcpy(static_cast<void*>(__builtin_addressof(x)), from, sizeof x);
        return x;
    } else {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), from, sizeof bytes);
        return std::bit_cast<T>(bytes);
    }
}

/// Writes an element to an address of any alignment. The padding of a long double is zeroed: it would carry over
/// whatever lay on the stack, and ranks would differ in it.
template <element T>
inline void store(std::byte* to, const T& x) noexcept {
    std::memcpy(to, static_cast<const void*>(__builtin_addressof(x)), value_bytes<T>);
    if constexpr (value_bytes<T> < sizeof(T)) std::memset(to + value_bytes<T>, 0, sizeof(T) - value_bytes<T>);
}

} // namespace tutti::detail

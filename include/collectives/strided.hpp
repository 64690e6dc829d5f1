// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/messages.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>

namespace tutti {

/// Data of a message that do not lie in a row: `count` blocks of `block` elements, whose first elements lie `stride`
/// elements apart, as a column of a grid does: `strided{&grid[column], rows, columns}`. The other end may have `count`
/// times `block` elements in a row, or other strides. Preconditions: `stride` is not less than `block`, nor `block` 0.
/// Cost: one copy on its way, in memory of the library, which a message_group keeps for its restart().
///
/// @snippet reference.cpp strided
template <class T>
struct strided {
    static constexpr bool is_read_only = std::is_const_v<T>; ///< it can only be sent

    T* data;               ///< the first element of the first block
    std::size_t count;     ///< blocks
    std::size_t stride;    ///< elements from the beginning of a block to that of the next
    std::size_t block = 1; ///< elements of a block
};
/// `strided{&grid[c], rows, columns}` names no type.
template <class T>
strided(T*, std::size_t, std::size_t) -> strided<T>;
/// Nor does `strided{&grid[c], rows, columns, 2}`.
template <class T>
strided(T*, std::size_t, std::size_t, std::size_t) -> strided<T>;

namespace detail {

/// Puts strided data into the arguments of a message.
template <class T>
void describe_message(message_arguments& a, const strided<T>& of) {
    using value = std::remove_const_t<T>;
    check_element<value>();
    auto* const first = reinterpret_cast<std::byte*>(const_cast<value*>(of.data));
    const auto times = [](std::size_t n, std::size_t each) { // too many are refused
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
        return each > 0 && n > most / each ? most : n * each;
    };
    const std::size_t all = times(of.count, of.block);
    a = arguments_of<value>(a.way, a.peer, a.tag, {first, all, alignof(value)});
    if (all > 0) a.apart = {first, of.count, times(of.block, sizeof(value)), times(of.stride, sizeof(value))};
}

} // namespace detail

} // namespace tutti

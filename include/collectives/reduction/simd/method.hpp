// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../built_in.hpp"
#include "fold.hpp"
#include "keys.hpp"
#include "pack.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// How Op reduces elements of type T by vectors of `width` bytes: the pack that loads and stores them, and the fold.
template <class T, class Op, instructions set, std::size_t width>
struct method {
    using pack = detail::pack<T, set, width>;
    using fold = detail::fold<Op, wide<T>, width>;
};

template <class T, class Op, instructions set, std::size_t width>
    requires is_narrow_float<T> && is_one_of<Op, minimum_operator, maximum_operator>
struct method<T, Op, set, width> {
    using fold = key_fold<T, Op, width>;
    using pack = plain_pack<typename fold::lane, width>;
};

} // namespace tutti::detail

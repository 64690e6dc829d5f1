// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/reduction/element.hpp>

#include <cstddef>
#include <vector>

namespace tutti::test {

using bytes = std::vector<std::byte>;

/// Writes an element where it need not be aligned.
template <class T>
void put(bytes& to, std::size_t at, T x) {
    tutti::detail::store(to.data() + at, x);
}

} // namespace tutti::test

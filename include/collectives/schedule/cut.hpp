// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layout.hpp"
#include "operation.hpp"

#include <cstddef>

namespace tutti::schedule {

/// How `count` elements are cut: where there are shards, into equal ones first, whatever the number of chunks.
[[nodiscard]] constexpr layout cut_of(operation what, int size, int base_chunks, int segments,
                                      std::size_t count) noexcept {
    if (has_shards(what)) return {count, size, base_chunks / size * segments};
    return {count, base_chunks, segments};
}

} // namespace tutti::schedule

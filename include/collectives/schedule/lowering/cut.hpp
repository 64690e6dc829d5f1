// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../layout.hpp"
#include "../operation.hpp"

#include <cstddef>

namespace tutti::schedule {

/// How a vector of `count` elements is cut: where there are equal parts, into these first, whatever the number of
/// chunks. The vectors of an alltoall are cut as if they were one, of `size` times `count` elements. Parts that are not
/// equal have `lengths`, which must outlive the layout; then `count` is not looked at.
[[nodiscard]] constexpr layout cut_of(operation what, int size, int base_chunks, int segments, std::size_t count,
                                      const part_lengths* lengths = nullptr) noexcept {
    if (lengths) [[unlikely]]
        return {*lengths, base_chunks / parts_of(what, size) * segments};
    if (!has_shards(what)) return {count, base_chunks, segments};
    const int parts = parts_of(what, size);
    return {count * static_cast<std::size_t>(vectors_of(what, size)), parts, base_chunks / parts * segments};
}

/// The elements of the first `k` ranges of a window. Where there are several, each is a block of an alltoall.
[[nodiscard]] constexpr std::size_t elements_of(const layout& cut, const chunk_window& w, int k) noexcept {
    if (cut.lengths() && w.ranges() > 1) return cut.lengths()->sent_before(k);
    const chunk_range first = w.range(0);
    return (cut.bound(first.last) - cut.bound(first.first)) * static_cast<std::size_t>(k);
}
/// The elements of a buffer that holds `w`, and those that come before chunk `id` there.
[[nodiscard]] constexpr std::size_t elements_of(const layout& cut, const chunk_window& w) noexcept {
    return elements_of(cut, w, w.ranges());
}
[[nodiscard]] constexpr std::size_t offset_of(const layout& cut, const chunk_window& w, int id) noexcept {
    const int k = w.range_of(id);
    const std::size_t within = cut.bound(id) - cut.bound(w.range(k).first);
    return k == 0 ? within : within + elements_of(cut, w, k);
}

} // namespace tutti::schedule

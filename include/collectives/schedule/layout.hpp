// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "part_lengths.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::schedule {

/// Maps chunk ids to elements of the user's data: `count` elements over `chunks` chunks as evenly as possible (the
/// first ones get one element more), each cut into `segments` pieces for pipelining. Chunk id k is piece
/// k % segments of chunk k / segments. Any count is legal, fewer elements than chunks and none at all included.
class layout {
public:
    /// Even chunks: `count` elements over `chunks`, each cut into `segments`.
    constexpr layout(std::size_t count, int chunks, int segments = 1) noexcept
        : share_(chunks == 1 ? count : count / static_cast<std::size_t>(chunks)), // a division takes its time
          extra_(count - share_ * static_cast<std::size_t>(chunks)), segments_(static_cast<std::size_t>(segments)) {}
    /// Chunks of these lengths instead, which must outlive it.
    constexpr layout(const part_lengths& lengths, int segments) noexcept
        : segments_(static_cast<std::size_t>(segments)), lengths_(&lengths) {}

    /// Null where the chunks are even.
    [[nodiscard]] constexpr const part_lengths* lengths() const noexcept { return lengths_; }

    /// The first element of chunk id `id`; `bound(id + 1)` is where it ends.
    [[nodiscard]] constexpr std::size_t bound(int id) const noexcept {
        const auto k = static_cast<std::size_t>(id);
        if (segments_ == 1) return whole(k);
        const std::size_t chunk = k / segments_, piece = k % segments_;
        if (piece == 0) return whole(chunk);
        const std::size_t length = whole(chunk + 1) - whole(chunk);
        // length * piece / segments without overflow
        return whole(chunk) + length / segments_ * piece + length % segments_ * piece / segments_;
    }

private:
    [[nodiscard]] constexpr std::size_t whole(std::size_t chunk) const noexcept {
        if (lengths_) [[unlikely]]
            return lengths_->before(chunk);
        return chunk * share_ + std::min(chunk, extra_);
    }

    std::size_t share_ = 0;
    std::size_t extra_ = 0;
    std::size_t segments_;
    const part_lengths* lengths_ = nullptr;
};

} // namespace tutti::schedule

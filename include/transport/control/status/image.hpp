// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../contract/status_page.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace tutti::transport::status {

/// A copy of a page, to be kept or sent. Its lines and rows are as they were one after the other, its details as they
/// were at one moment.
struct image {
    struct row {
        std::int64_t peer = 0; ///< plus one
        std::uint64_t messages = 0, bytes = 0;
    };
    page_head head;
    std::int64_t copied = 0; ///< when, by the clock of the page's host
    std::uint64_t word = 0;
    std::int64_t entered = 0;
    std::uint64_t has_details = 0; ///< 1 or 0
    details what;
    std::array<row, counted_peers + 1> sent{}; ///< the used ones first; the last one is all others'
};
static_assert(std::is_trivially_copyable_v<image>);

[[nodiscard]] inline std::int64_t now_ns() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

[[nodiscard]] inline image image_of(const page& p) noexcept {
    image i;
    i.head = p.head;
    i.word = p.line.word.load(std::memory_order_relaxed);
    i.entered = p.line.entered.load(std::memory_order_relaxed);
    i.has_details = p.board.read(i.what) ? 1 : 0;
    for (std::size_t k = 0; k < i.sent.size(); ++k)
        i.sent[k] = {p.sent[k].peer.load(std::memory_order_relaxed), p.sent[k].messages.load(std::memory_order_relaxed),
                     p.sent[k].bytes.load(std::memory_order_relaxed)};
    i.copied = now_ns();
    return i;
}

/// An image as bytes of this machine: all but the rows that are free, and the row of all others in front of them.
TUTTI_COLD [[nodiscard]] inline std::vector<std::byte> bytes_of(const image& i) {
    image sorted = i;
    std::rotate(sorted.sent.begin(), sorted.sent.end() - 1, sorted.sent.end());
    std::size_t used = 1;
    while (used < sorted.sent.size() && sorted.sent[used].peer != 0) ++used;
    std::vector<std::byte> out(offsetof(image, sent) + used * sizeof(image::row));
    std::memcpy(out.data(), &sorted, out.size());
    return out;
}
/// Nothing if the bytes are not as of bytes_of() on a machine like this one.
[[nodiscard]] inline std::optional<image> image_of(std::span<const std::byte> bytes) {
    constexpr std::size_t fixed = offsetof(image, sent), row = sizeof(image::row);
    if (bytes.size() < fixed + row || bytes.size() > sizeof(image) || (bytes.size() - fixed) % row != 0)
        return std::nullopt;
    image i;
    std::memcpy(static_cast<void*>(&i), bytes.data(), bytes.size());
    std::rotate(i.sent.begin(), i.sent.begin() + 1, i.sent.end());
    return i.head.layout == this_layout ? std::optional(i) : std::nullopt;
}

} // namespace tutti::transport::status

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bootstrap/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::transport::detail::shm {

/// The record by which peers find the shared memory of a rank.
struct card {
    std::int32_t file = -1; ///< under which descriptor its process has the memory
    std::uint64_t key = 0;  ///< which is written there

    [[nodiscard]] std::vector<std::byte> encoded() const {
        std::vector<std::byte> out;
        bootstrap::byte_writer w(out);
        w.integer(file);
        w.integer(key);
        return out;
    }
    /// Nothing if the bytes are no card.
    [[nodiscard]] static std::optional<card> decoded(std::span<const std::byte> bytes) {
        bootstrap::byte_reader r(bytes);
        card c;
        c.file = r.integer<std::int32_t>();
        c.key = r.integer<std::uint64_t>();
        return r.finished() ? std::optional(c) : std::nullopt;
    }
};

} // namespace tutti::transport::detail::shm

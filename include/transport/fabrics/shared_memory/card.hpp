// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/bytes.hpp"
#include "openness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tutti::transport::detail::shm {

/// The record by which peers find the shared memory of a rank.
struct card {
    static constexpr std::size_t most_words = 200;

    std::int32_t file = -1; ///< under which descriptor its process has the memory
    std::uint64_t key = 0;  ///< which is written there
    std::string why_not{};  ///< there is none, and why
    openness open{};        ///< who may open it

    [[nodiscard]] std::vector<std::byte> encoded() const {
        std::vector<std::byte> out;
        tutti::detail::byte_writer w(out);
        w.integer(file);
        w.integer(key);
        w.text(why_not, most_words);
        w.integer(open.processes);
        w.integer(open.users);
        w.integer(open.user);
        w.integer(open.group);
        w.integer(open.may);
        w.integer(open.might);
        w.integer(static_cast<std::uint8_t>(open.opens_all << 1 | open.is_readable));
        return out;
    }
    /// Nothing if the bytes are no card.
    [[nodiscard]] static std::optional<card> decoded(std::span<const std::byte> bytes) {
        tutti::detail::byte_reader r(bytes);
        card c;
        c.file = r.integer<std::int32_t>();
        c.key = r.integer<std::uint64_t>();
        c.why_not = r.text(most_words);
        c.open.processes = r.integer<std::uint64_t>();
        c.open.users = r.integer<std::uint64_t>();
        c.open.user = r.integer<std::uint32_t>();
        c.open.group = r.integer<std::uint32_t>();
        c.open.may = r.integer<std::uint64_t>();
        c.open.might = r.integer<std::uint64_t>();
        const auto may = r.integer<std::uint8_t>();
        c.open.opens_all = (may & 2) != 0;
        c.open.is_readable = (may & 1) != 0;
        return r.finished() ? std::optional(c) : std::nullopt;
    }
};

} // namespace tutti::transport::detail::shm

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/frame_header.hpp"
#include "card.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::verbs {

/// The notice of a long message: its address, and the keys by which the receiver may read it. Length and signature
/// are those of the receive, else the announcement would not have met it.
struct announcement {
    std::uint64_t ticket = 0;                    ///< names the message between these two ranks
    std::uint64_t address = 0;                   ///< of its bytes, at the sender
    std::array<std::uint32_t, max_rails> keys{}; ///< by rail
};

inline constexpr std::size_t announcement_bytes = 16 + 4 * max_rails;
using announcement_image = std::array<std::byte, announcement_bytes>;

constexpr void encode(const announcement& a, announcement_image& to) noexcept {
    tcp::put(to.data(), a.ticket);
    tcp::put(to.data() + 8, a.address);
    for (std::size_t i = 0; i < max_rails; ++i) tcp::put(to.data() + 16 + 4 * i, a.keys[i]);
}
[[nodiscard]] constexpr announcement decode(const announcement_image& from) noexcept {
    announcement a{tcp::get<std::uint64_t>(from.data()), tcp::get<std::uint64_t>(from.data() + 8), {}};
    for (std::size_t i = 0; i < max_rails; ++i) a.keys[i] = tcp::get<std::uint32_t>(from.data() + 16 + 4 * i);
    return a;
}

/// The signature under which a message is announced: of its own, and its length.
[[nodiscard]] constexpr std::uint64_t announced_signature(std::uint64_t signature, std::uint64_t length) noexcept {
    std::uint64_t x = signature ^ (length * 0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

} // namespace tutti::transport::detail::verbs

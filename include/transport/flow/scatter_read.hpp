// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../sockets/socket.hpp"

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>

namespace tutti::transport::detail::tcp {

using bootstrap::io_result;
using socket = bootstrap::descriptor;

/// Fills `place`, then `rest`, with received data. Precondition: one of them is not empty.
[[nodiscard]] inline io_result read_some(const socket& s, std::span<std::byte> place,
                                         std::span<std::byte> rest) noexcept {
    if (place.empty()) return bootstrap::read_some(s.get(), rest);
    const std::array<iovec, 2> both{iovec{place.data(), place.size()}, iovec{rest.data(), rest.size()}};
    return bootstrap::result_of(::readv(s.get(), both.data(), both.size()));
}

} // namespace tutti::transport::detail::tcp

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/tls.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace tutti::test {

/// Takes a record of it if all before are out, and writes what it can.
inline transport::bootstrap::io_result say(transport::bootstrap::tls::stream& by, std::span<const std::byte> text) {
    if (const auto r = by.flush(); r.ended || by.wants_write()) return r;
    const auto taken = by.take(text.first(std::min(text.size(), by.record_bytes)));
    const auto out = by.flush();
    return out.ended ? out : taken;
}

} // namespace tutti::test

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"

#include <cstdint>
#include <string>

namespace tutti::tools {

/// A free TCP port on 127.0.0.1, kept for whoever binds it with SO_REUSEADDR: bound here too, but never listening, so
/// that the kernel gives it to nobody else meanwhile. Throws std::system_error.
class loopback_port {
public:
    loopback_port();
    /// "127.0.0.1:PORT"
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
    descriptor socket_;
    std::uint16_t port_ = 0;
};

/// 128 random bits in hexadecimal, from the kernel.
[[nodiscard]] std::string random_secret();

} // namespace tutti::tools

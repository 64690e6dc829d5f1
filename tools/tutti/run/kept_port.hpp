// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"

#include <cstdint>

namespace tutti::tools {

/// A free TCP port, kept for whoever binds it with SO_REUSEADDR: bound here too, but never listening, so that the
/// kernel gives it to nobody else meanwhile.
class kept_port {
public:
    enum class on : unsigned char { loopback, all_interfaces };
    /// Throws std::system_error.
    explicit kept_port(on where);
    [[nodiscard]] std::uint16_t number() const noexcept { return port_; }

private:
    descriptor socket_;
    std::uint16_t port_ = 0;
};

} // namespace tutti::tools

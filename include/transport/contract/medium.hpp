// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tutti::transport {

/// The medium that messages travel through.
enum class medium : std::uint8_t {
    memory,  ///< that both ranks can reach: a message costs copies
    network, ///< also where it loops back within a host: a message costs system calls
};

} // namespace tutti::transport

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// The release of the library: 10000 * major + 100 * minor + patch. A release changes it here and in meson.build, which
/// compares the two.
#define TUTTI_VERSION 100

/// The same as text: "0.1.0".
#define TUTTI_VERSION_TEXT "0.1.0"

namespace tutti::detail {

/// Of all that ranks say to each other: greetings, notices, frames, packets, the hash of calls. Ranks meet only where
/// it is equal. Whatever changes one of them raises it.
inline constexpr std::uint8_t wire_version = 7;

} // namespace tutti::detail

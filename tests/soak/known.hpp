// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::soak {

/// What is known to be weak. It is counted and told, and does not fail a run.
enum class known : std::uint8_t { shortage };

inline constexpr std::array known_in_words{
    "Where a rank runs out of descriptors, another one may be named.",
};

[[nodiscard]] constexpr const char* in_words(known k) noexcept { return known_in_words[static_cast<std::size_t>(k)]; }

} // namespace tutti::soak

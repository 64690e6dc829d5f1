// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::soak {

/// What is known to be weak. It is counted and told, and does not fail a run.
enum class known : std::uint8_t { other_communicator, early_farewell, shortage, unlike_calls };

inline constexpr std::array known_in_words{
    "After a fault, a rank that waits in another communicator is blamed itself.",
    "What a rank had sent may be lost when it leaves more than a second before the receiver comes.",
    "Where a rank runs out of descriptors, another one may be named.",
    "A mismatch may be told as a timeout of ranks that wait for each other, one of which is still in an earlier call.",
};

[[nodiscard]] constexpr const char* in_words(known k) noexcept { return known_in_words[static_cast<std::size_t>(k)]; }

} // namespace tutti::soak

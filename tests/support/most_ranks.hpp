// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::test {

/// Up to how many ranks everything is proven. AddressSanitizer takes ten times as long, and learns nothing from more.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int most_ranks = 24;
#else
inline constexpr int most_ranks = 64;
#endif

} // namespace tutti::test

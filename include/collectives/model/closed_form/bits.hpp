// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

namespace tutti::model::detail {

/// The binary digits of n >= 0: ceil(log2 P) of P - 1, floor(log2 P) + 1 of P.
[[nodiscard]] constexpr int bits(int n) noexcept { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))); }

} // namespace tutti::model::detail

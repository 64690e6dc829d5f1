// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

namespace tutti::model::detail {

/// The vector that a collective works on, cut into equal parts between elements, the first ones longer.
struct data {
    std::size_t bytes = 0;
    std::size_t element_bytes = 1;

    /// The bytes of the first `k` of `parts`: no other `k` in a row have more.
    [[nodiscard]] constexpr double first(int k, int parts) const noexcept {
        const std::size_t n = count(), p = static_cast<std::size_t>(parts), some = static_cast<std::size_t>(k);
        return static_cast<double>((some * (n / p) + std::min(some, n % p)) * element_bytes);
    }
    [[nodiscard]] constexpr double whole() const noexcept { return static_cast<double>(bytes); }
    /// All parts are of one length.
    [[nodiscard]] constexpr bool divides(int parts) const noexcept {
        return count() % static_cast<std::size_t>(parts) == 0;
    }
    /// The longest of so many parts.
    [[nodiscard]] constexpr data part(int parts) const noexcept {
        return {static_cast<std::size_t>(first(1, parts)), element_bytes};
    }

private:
    [[nodiscard]] constexpr std::size_t count() const noexcept { return bytes / element_bytes; }
};

} // namespace tutti::model::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bins.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// The sum of an accumulator's bins as a floating-point number, rounded once and by integers alone.
namespace tutti::detail {

/// A nonnegative integer, the lowest digit first, of `bin_bits` bits each; or a negative one, told by the sign alone.
template <std::size_t digits>
struct long_integer {
    std::array<std::uint32_t, digits> digit{};
    bool negative = false;

    [[nodiscard]] constexpr std::uint32_t bit(int at) const noexcept {
        return digit[static_cast<std::size_t>(at / bin_bits)] >> (at % bin_bits) & 1U;
    }
    /// Bits up to the highest that is set; 0 of zero.
    [[nodiscard]] constexpr int width() const noexcept {
        for (std::size_t i = digits; i-- > 0;)
            if (digit[i] != 0) return static_cast<int>(i) * bin_bits + static_cast<int>(std::bit_width(digit[i]));
        return 0;
    }
    /// Whether one of the bits below `end` is set.
    [[nodiscard]] constexpr bool any_below(int end) const noexcept {
        const auto whole = static_cast<std::size_t>(end / bin_bits);
        for (std::size_t i = 0; i < whole; ++i)
            if (digit[i] != 0) return true;
        return end % bin_bits != 0 && (digit[whole] & ((1U << (end % bin_bits)) - 1)) != 0;
    }
};

/// The digits of the sum of sums[i] 2^(24 i), times `sign`. Of a negative number `negative` is true and the digits mean
/// nothing.
template <std::size_t bins>
[[nodiscard]] constexpr long_integer<bins + 3> digits_of_sum(const std::array<std::int64_t, bins>& sums,
                                                             std::int64_t sign) noexcept {
    constexpr std::int64_t mask = (std::int64_t{1} << bin_bits) - 1;
    long_integer<bins + 3> total;
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < bins + 3; ++i) {
        if (i < bins) carry += sign * sums[i];
        total.digit[i] = static_cast<std::uint32_t>(carry & mask);
        carry >>= bin_bits;
    }
    total.negative = carry < 0;
    return total;
}

/// The sum of sums[i] 2^(24 i).
template <std::size_t bins>
[[nodiscard]] constexpr long_integer<bins + 3> total_of(const std::array<std::int64_t, bins>& sums) noexcept {
    auto total = digits_of_sum(sums, 1);
    if (!total.negative) return total;
    total = digits_of_sum(sums, -1);
    total.negative = true;
    return total;
}

enum class rounding : std::uint8_t {
    to_nearest, ///< ties to even
    to_odd,     ///< what is not exact gets an odd last bit, so that a second rounding to fewer bits is right
};

/// The multiple of 2^last that stands for `total`, as an integer.
template <class Bits, std::size_t digits>
[[nodiscard]] constexpr Bits multiple_of(const long_integer<digits>& total, int last, rounding how) noexcept {
    const int width = total.width();
    Bits kept = 0;
    for (int at = width - 1; at >= last; --at) kept = kept << 1U | (at < 0 ? 0U : total.bit(at));
    if (last <= 0) return kept;
    if (how == rounding::to_odd) return kept | Bits{total.any_below(last < width ? last : width)};
    const bool half = last <= width && total.bit(last - 1) != 0;
    return kept + Bits{half && (total.any_below(last - 1) || (kept & 1U) != 0)};
}

/// The float or double of `total` 2^exponent. Too large ones are infinite.
template <class Float, std::size_t digits>
[[nodiscard]] constexpr Float rounded(const long_integer<digits>& total, int exponent, rounding how) noexcept {
    using fields = float_fields<Float>;
    using bits = fields::bits;
    const int width = total.width();
    if (width == 0) return 0;
    // The number's last bit, unless it is subnormal; and the last bit of subnormal ones.
    const int normal = width - fields::fraction - 1, least = lowest_exponent<Float>() - exponent;
    const int last = normal > least ? normal : least;
    // A carry beyond the first bit of a significand goes on to the exponent, as it should.
    const bits significand = multiple_of<bits>(total, last, how);
    const bool huge = last - least + 1 >= static_cast<int>(fields::infinity >> fields::fraction);
    const bits magnitude =
        huge ? fields::infinity : (static_cast<bits>(last - least) << fields::fraction) + significand;
    return std::bit_cast<Float>(static_cast<bits>(total.negative ? magnitude | fields::sign : magnitude));
}

} // namespace tutti::detail

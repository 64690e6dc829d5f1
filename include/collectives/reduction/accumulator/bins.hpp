// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../narrow_float.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

/// How an accumulator divides numbers. Bin b counts multiples of its unit, 2^(lowest exponent of T + 24 b). A number is
/// its slices: the multiple of a bin's unit that is nearest to it, ties to even, then so with the rest in the bin
/// below. The slices depend on the number alone, so sums of slices do not depend on any order. After Demmel and Nguyen,
/// "Parallel Reproducible Summation", IEEE Transactions on Computers 64, 2015; here the sums are integers.
namespace tutti::detail {

inline constexpr int bin_bits = 24;

/// The type whose bits are read: of 16 and 8 bits that is float, to which they convert exactly.
template <floating T>
using decoded_type = std::conditional_t<is_narrow_float<T>, float, T>;

/// Two to this power is the least positive number of T.
template <floating T>
[[nodiscard]] constexpr int lowest_exponent() noexcept {
    if constexpr (std::is_same_v<T, bfloat16>)
        return -133;
    else if constexpr (std::is_same_v<T, float16>)
        return -24;
    else if constexpr (std::is_same_v<T, float8_e4m3>)
        return -9;
    else if constexpr (std::is_same_v<T, float8_e5m2>)
        return -16;
    else
        return std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
}

/// All finite numbers of T are less than two to this power.
template <floating T>
[[nodiscard]] constexpr int highest_exponent() noexcept {
    if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, float8_e5m2>)
        return 16;
    else if constexpr (std::is_same_v<T, float8_e4m3>)
        return 9;
    else
        return std::numeric_limits<decoded_type<T>>::max_exponent;
}

/// The exponent of a bin's unit.
template <floating T>
[[nodiscard]] constexpr int unit_exponent(int bin) noexcept {
    return lowest_exponent<T>() + bin_bits * bin;
}

/// The highest bin in which numbers less than 2^exponent have a slice other than 0.
template <floating T>
[[nodiscard]] constexpr int bin_of(int exponent) noexcept {
    const int above = exponent - (bin_bits - 1) - lowest_exponent<T>();
    return above <= 0 ? 0 : (above + bin_bits - 1) / bin_bits;
}

/// Bins that hold every number of T.
template <floating T>
inline constexpr int all_bins = bin_of<T>(highest_exponent<T>()) + 1;

/// The bins of an accumulator that need not be exact, or that is exact with so few.
template <floating T>
inline constexpr int default_bins = std::min(all_bins<T>, sizeof(T) == 8 ? 5 : 3);

/// From this bin on no number has a slice that is subnormal when it is read, nor in double. A processor may flush
/// those.
template <floating T>
[[nodiscard]] constexpr int first_normal_bin() noexcept {
    const int subnormal = std::numeric_limits<decoded_type<T>>::min_exponent - 1;
    return lowest_exponent<T>() < subnormal ? bin_of<T>(subnormal) + 1 : 0;
}

/// A finite number is `significand` times 2^exponent.
struct decoded {
    std::int64_t significand;
    int exponent;
    [[nodiscard]] constexpr int end() const noexcept {
        const auto magnitude = static_cast<std::uint64_t>(significand < 0 ? -significand : significand);
        return exponent + static_cast<int>(std::bit_width(magnitude));
    }
};

template <class Float>
using float_bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;

/// Where the parts of a float or double lie in its bits.
template <class Float>
struct float_fields {
    using bits = float_bits<Float>;
    static constexpr int fraction = std::numeric_limits<Float>::digits - 1;
    static constexpr bits one = bits{1} << fraction, sign = bits{1} << (8 * sizeof(bits) - 1);
    /// The bits of infinity; what is more, without the sign, is a NaN.
    static constexpr bits infinity = sign - one;
};

/// Reads a number by its bits, so that a processor that flushes subnormal numbers does not matter.
template <class Float>
[[nodiscard]] constexpr decoded decode(float_bits<Float> number) noexcept {
    using fields = float_fields<Float>;
    const auto magnitude = number & (fields::sign - 1);
    const int biased = static_cast<int>(magnitude >> fields::fraction);
    const auto below = static_cast<std::int64_t>(magnitude & (fields::one - 1));
    const std::int64_t significand = biased == 0 ? below : below + static_cast<std::int64_t>(fields::one);
    const int exponent = lowest_exponent<Float>() + (biased == 0 ? 0 : biased - 1);
    return {(number & fields::sign) != 0 ? -significand : significand, exponent};
}

/// Takes the slice of a bin from `x` and leaves the rest there. Precondition: x is less than half the unit of the bin
/// above.
[[nodiscard]] constexpr std::int64_t take_slice(decoded& x, int unit) noexcept {
    const int shift = unit - x.exponent;
    if (shift <= 0) {
        const std::int64_t slice = x.significand * (std::int64_t{1} << -shift);
        x.significand = 0;
        return slice;
    }
    const std::int64_t below = x.significand >> shift;
    const std::int64_t slice = (x.significand + (std::int64_t{1} << (shift - 1)) - 1 + (below & 1)) >> shift;
    x.significand -= slice * (std::int64_t{1} << shift);
    return slice;
}

} // namespace tutti::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/standard_arithmetic.hpp"
#include "accumulator/bins.hpp"
#include "accumulator/rounding.hpp"
#include "accumulator/slices.hpp"
#include "operators.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

/// Sums of floating-point numbers whose bits do not depend on how the numbers are spread over ranks, nor on the order,
/// the algorithm or the instructions. Not part of collectives.hpp, since few programs need it.
namespace tutti {

/// A sum in progress, itself an element: a rank adds its numbers, a collective adds the accumulators with `sum`, and
/// `value` rounds the total once:
///
/// @snippet reference.cpp accumulator
///
/// It counts in `bins` integers of 64 bits, which stand for 24 bits each. They follow the largest number; the parts of
/// numbers below the lowest bin are lost. So the error of a sum of n numbers is at most n 2^(23 - 24 bins) times the
/// largest one, and one rounding at the end: for double n 2^-97, for float n 2^-49, for 16 bits and less none but
/// that of bfloat16, n 2^-49.
/// Precondition: at most 2^39 numbers go into one sum. The processor may flush subnormal numbers or round otherwise
/// than to nearest, and -ffast-math changes nothing. Special cases: NaN, or infinities of both signs, give NaN; else an
/// infinity gives itself; a total of 0 is +0. A total beyond the largest number is infinite only if the whole sum is.
/// Size: 8 bytes a bin and 8.
template <detail::floating T, int bins>
    requires(sizeof(T) <= 8 && bins >= 1 && bins <= detail::all_bins<T>)
class basic_accumulator {
public:
    /// What is summed.
    using value_type = T;

    constexpr basic_accumulator() = default;

    /// Adds one number.
    constexpr void add(T x) noexcept { add_bits(bits_of(x)); }
    /// The same as each of them alone, several times as fast.
    void add(std::span<const T> numbers) noexcept {
        const detail::standard_arithmetic mode; // blocks are taken apart by additions
        for (; numbers.size() >= block; numbers = numbers.subspan(block)) add_block(numbers.data());
        if (numbers.size() < block / 16) {
            for (const T x : numbers) add(x);
        } else {
            T padded[block]{};
            for (std::size_t i = 0; i < numbers.size(); ++i) padded[i] = numbers[i];
            add_block(padded);
        }
    }
    /// Adds the numbers that another accumulator has.
    constexpr void add(const basic_accumulator& other) noexcept {
        special_ |= other.special_;
        raise(other.lowest_);
        for (int b = lowest_; b < other.lowest_ + bins; ++b)
            add_to(b, static_cast<std::uint64_t>(other.sums_[static_cast<std::size_t>(b - other.lowest_)]));
    }

    /// The total, rounded once to T, or to another floating-point type.
    template <detail::floating Result = T>
        requires(sizeof(Result) <= 8)
    [[nodiscard]] constexpr Result value() const noexcept {
        using wide = detail::decoded_type<Result>;
        if (special_ != 0) return Result(special_value<wide>());
        if constexpr (detail::is_narrow_float<Result>) {
            const wide odd = rounded<wide>(detail::rounding::to_odd);
            return std::is_constant_evaluated() ? Result(odd) : narrowed<Result>(odd);
        } else {
            return rounded<wide>(detail::rounding::to_nearest);
        }
    }

    /// Whether the states are equal. Those of the same numbers are, in any order and partition.
    friend constexpr bool operator==(const basic_accumulator&, const basic_accumulator&) = default;

private:
    using decoded_type = detail::decoded_type<T>;
    using fields = detail::float_fields<decoded_type>;
    using bits = fields::bits;
    static constexpr std::size_t block = detail::slice_block;
    static constexpr int vector_bins = std::min(bins, detail::default_bins<T>);
    /// The bins hold all numbers, and vectors divide into some of them only.
    static constexpr bool every_bin = bins == detail::all_bins<T> && bins > vector_bins;
    static constexpr std::uint32_t nan = 1, plus_infinity = 2, minus_infinity = 4;

    [[nodiscard]] static constexpr bits bits_of(T x) noexcept {
        return std::bit_cast<bits>(static_cast<decoded_type>(x));
    }

    template <class Result>
    [[nodiscard]] constexpr Result rounded(detail::rounding how) const noexcept {
        return detail::rounded<Result>(detail::total_of(sums_), detail::unit_exponent<T>(lowest_), how);
    }
    template <class Result>
    [[nodiscard]] static Result narrowed(detail::decoded_type<Result> x) noexcept {
        // Additions round what is below the normal numbers. Volatile, they stay between the changes of the mode.
        const volatile auto total = x;
        const detail::standard_arithmetic mode;
        const volatile auto bits = Result(total).bits;
        return Result::from_bits(bits);
    }
    template <class Result>
    [[nodiscard]] constexpr Result special_value() const noexcept {
        constexpr Result infinity = std::numeric_limits<Result>::infinity();
        if (special_ == plus_infinity) return infinity;
        return special_ == minus_infinity ? -infinity : std::numeric_limits<Result>::quiet_NaN();
    }

    /// A sum wraps as it grows by vectors of unsigned integers; the result is a signed one that fits.
    constexpr void add_to(int bin, std::uint64_t slice) noexcept {
        std::int64_t& total = sums_[static_cast<std::size_t>(bin - lowest_)];
        total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) + slice);
    }

    /// Drops the bins below `lowest`.
    constexpr void raise(int lowest) noexcept {
        if (lowest <= lowest_) return;
        for (int b = 0; b < bins; ++b) {
            const int from = b + lowest - lowest_;
            sums_[static_cast<std::size_t>(b)] = from < bins ? sums_[static_cast<std::size_t>(from)] : 0;
        }
        lowest_ = lowest;
    }

    constexpr void add_bits(bits number) noexcept {
        const bits magnitude = number & (fields::sign - 1);
        if (magnitude >= fields::infinity) {
            special_ |= magnitude > fields::infinity ? nan : number == magnitude ? plus_infinity : minus_infinity;
            return;
        }
        detail::decoded x = detail::decode<decoded_type>(number);
        if (x.significand == 0) return;
        int bin = detail::bin_of<T>(x.end());
        raise(bin - bins + 1);
        for (; x.significand != 0 && bin >= lowest_; --bin)
            add_to(bin, static_cast<std::uint64_t>(detail::take_slice(x, detail::unit_exponent<T>(bin))));
    }

    /// The lowest of the bins that all numbers of a block are divided into by vectors; -1 where that might lose a part.
    [[nodiscard]] int lowest_of(detail::extremes<bits> found) const noexcept {
        const int lowest = every_bin ? std::max(top_of(found) - vector_bins + 1, 0) : lowest_;
        const bool flushed = lowest < detail::first_normal_bin<T>();
        const bool huge = detail::unit_exponent<T>(lowest + vector_bins - 1) > detail::highest_rounding_unit;
        const bool too_small = every_bin && lowest > 0 &&
                               detail::decode<decoded_type>(found.smallest).exponent < detail::unit_exponent<T>(lowest);
        return flushed || huge || too_small ? -1 : lowest;
    }
    [[nodiscard]] static int top_of(detail::extremes<bits> found) noexcept {
        return detail::bin_of<T>(detail::decode<decoded_type>(found.largest).end());
    }

    void add_block(const T* numbers) noexcept {
        alignas(64) double wide[block];
        const detail::extremes<bits> found = detail::survey<T>(numbers, wide);
        if (found.largest == 0) return;
        const bool finite = found.largest < fields::infinity;
        if (finite) raise(top_of(found) - bins + 1);
        const int lowest = finite ? lowest_of(found) : -1;
        if (lowest < 0) {
            for (std::size_t i = 0; i < block; ++i) add(numbers[i]);
            return;
        }
        std::uint64_t slices[std::size_t{vector_bins}]{};
        const int highest = lowest + vector_bins - 1;
        detail::add_slices<vector_bins>(wide, detail::unit_exponent<T>(highest), slices);
        for (int b = 0; b < vector_bins; ++b) add_to(highest - b, slices[b]);
    }

    /// The lowest bin first. sums_[i] counts the unit of bin lowest_ + i.
    std::array<std::int64_t, std::size_t{bins}> sums_{};
    std::int32_t lowest_ = 0;
    std::uint32_t special_ = 0;
};

/// The sum of float, double and narrower floats, with an error far below that of a plain sum: see basic_accumulator.
/// 48 bytes of double; 32 of float and bfloat16; 24 of float16 and float8_e5m2 and 16 of float8_e4m3, without error.
template <detail::floating T>
using accumulator = basic_accumulator<T, detail::default_bins<T>>;

/// The exact sum, whatever the numbers: 712 bytes of double, 104 of float, 96 of bfloat16. After Neal, "Fast exact
/// summation using small and large superaccumulators", 2015, arXiv:1505.05571.
template <detail::floating T>
using exact_accumulator = basic_accumulator<T, detail::all_bins<T>>;

namespace detail {

template <class T, int bins>
inline constexpr bool sums_itself<basic_accumulator<T, bins>> = true;

} // namespace detail

} // namespace tutti

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../simd/compiled.hpp"
#include "../simd/pack.hpp"
#include "bins.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

/// The slices of many numbers at once, in double. The sum of a number and 3 x 2^51 units rounds it to a multiple of the
/// unit, and the last bits of that sum are the multiple as an integer.
namespace tutti::detail {

/// Numbers that are divided together.
inline constexpr std::size_t slice_block = 512;

/// The largest exponent of a unit by which numbers are divided in double, with room for the sum that rounds.
inline constexpr int highest_rounding_unit = 970;

/// The magnitudes of a block's numbers as bits: the largest, and the smallest that is not 0.
template <class Bits>
struct extremes {
    Bits largest, smallest;
};

/// 3 x 2^51 units.
[[nodiscard]] constexpr double rounding_constant(int unit) noexcept {
    const auto exponent = static_cast<std::uint64_t>(unit + 52 + 1023);
    return std::bit_cast<double>(exponent << 52U | std::uint64_t{1} << 51U);
}

/// Keeps g++ from reordering sums where it was told to (-ffast-math). clang has a pragma for that.
template <class Vector>
[[gnu::always_inline]] inline void keep_rounded([[maybe_unused]] Vector& x) noexcept {
#if defined(__clang__)
#elif defined(__x86_64__)
    asm("" : "+v"(x));
#elif defined(__aarch64__)
    asm("" : "+w"(x));
#else
    asm("" : "+m"(x));
#endif
}

/// Adds the slices of `slice_block` numbers to `sums`, one a bin from the highest bin on.
template <int bins>
struct slice_kernel {
    using signature = void(const double*, int, std::uint64_t*);

    template <instructions set>
    [[gnu::always_inline]] static void run(const double* numbers, int highest_unit, std::uint64_t* sums) noexcept {
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
        constexpr std::size_t width = register_bytes(set);
        using floats = vector_of<double, width>;
        using integers = vector_of<std::uint64_t, width>::type;
        typename floats::type constants[std::size_t{bins}];
        integers totals[std::size_t{bins}];
#pragma GCC unroll 5
        for (int b = 0; b < bins; ++b) {
            constants[b] = typename floats::type{} + rounding_constant(highest_unit - bin_bits * b);
            totals[b] = integers{};
        }
        for (std::size_t i = 0; i < slice_block; i += width / sizeof(double)) {
            typename floats::type rest = *reinterpret_cast<const typename floats::unaligned*>(numbers + i);
#pragma GCC unroll 5
            for (int b = 0; b < bins; ++b) {
                typename floats::type rounded = rest + constants[b];
                keep_rounded(rounded);
                totals[b] += __builtin_bit_cast(integers, rounded);
                rest -= rounded - constants[b];
            }
        }
        for (int b = 0; b < bins; ++b) {
            sums[b] -= slice_block * __builtin_bit_cast(std::uint64_t, rounding_constant(highest_unit - bin_bits * b));
            for (std::size_t lane = 0; lane < width / sizeof(double); ++lane) sums[b] += totals[b][lane];
        }
    }
};

/// Writes a vector of floats or doubles as doubles.
template <std::size_t width, class Vector>
[[gnu::always_inline]] inline void put_wide(double* to, const Vector& x) noexcept {
    if constexpr (std::is_same_v<lane_of<Vector>, double>) {
        put<false>(reinterpret_cast<std::byte*>(to), x);
    } else {
        using half = vector_of<float, width / 2>::type;
        half halves[2];
        __builtin_memcpy(halves, &x, width);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto wide = __builtin_convertvector(halves[i], typename vector_of<double, width>::type);
            put<false>(reinterpret_cast<std::byte*>(to + i * width / sizeof(double)), wide);
        }
    }
}

/// Converts `slice_block` numbers to double, in some order, and finds their extremes.
template <floating T>
struct survey_kernel {
    using bits = float_bits<decoded_type<T>>;
    using signature = void(const T*, double*, extremes<bits>*);

    template <instructions set>
    [[gnu::always_inline]] static void run(const T* numbers, double* wide, extremes<bits>* found) noexcept {
        using state = searched<register_bytes(set)>;
        using packs = pack<T, set, register_bytes(set)>;
        state all;
        const auto* const from = reinterpret_cast<const std::byte*>(numbers);
        for (std::size_t at = 0; at < slice_block * sizeof(T); at += packs::fewest * packs::bytes)
            wide = look_at<packs, 0>(all, from + at, wide);
        *found = {0, static_cast<bits>(most)};
        for (std::size_t lane = 0; lane < state::lanes; ++lane) {
            found->largest = std::max(found->largest, static_cast<bits>(all.largest[lane]));
            found->smallest = std::min(found->smallest, static_cast<bits>(all.smallest[lane]));
        }
    }

private:
    using comparable = std::make_signed_t<bits>; // since vectors of signed numbers are compared faster
    static constexpr comparable most = std::numeric_limits<comparable>::max();

    template <std::size_t width>
    struct searched {
        using words = vector_of<comparable, width>::type;
        static constexpr std::size_t lanes = width / sizeof(bits);
        words largest = words{}, smallest = words{} + most;
    };

    template <class Packs, std::size_t i, class State>
    [[gnu::always_inline]] static double* look_at(State& all, const std::byte* from, double* wide) noexcept {
        typename Packs::vector x;
        Packs::template load<i>(x, from);
        using words = State::words;
        const words magnitude = __builtin_bit_cast(words, x) & most;
        const words nonzero = magnitude == 0 ? words{} + most : magnitude;
        all.largest = magnitude > all.largest ? magnitude : all.largest;
        all.smallest = nonzero < all.smallest ? nonzero : all.smallest;
        put_wide<sizeof x>(wide, x);
        if constexpr (i + 1 < Packs::fewest)
            return look_at<Packs, i + 1>(all, from, wide + State::lanes);
        else
            return wide + State::lanes;
    }
};

template <floating T>
[[nodiscard]] extremes<float_bits<decoded_type<T>>> survey(const T* numbers, double* wide) noexcept {
    extremes<float_bits<decoded_type<T>>> found{};
    choose<survey_kernel<T>>(best_instructions(), [&](auto kernel) { kernel.run(numbers, wide, &found); });
    return found;
}

template <int bins>
void add_slices(const double* numbers, int highest_unit, std::uint64_t* sums) noexcept {
    choose<slice_kernel<bins>>(best_instructions(), [&](auto kernel) { kernel.run(numbers, highest_unit, sums); });
}

} // namespace tutti::detail

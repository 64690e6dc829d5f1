// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tutti::training::compressed {

/// A code of numbers in a few levels: for each group of elements its largest magnitude, as float, and for each element
/// a level of 4 or 8 bits. A number between two levels becomes one of them by chance, such that its mean is the number.
/// A group with a number that is not finite has only numbers that are not. Source: QSGD, Alistarh et al. 2017, with the
/// largest magnitude in place of the norm, as in its section 5.
struct levels {
    int bits = 8;            ///< of a level: 4 or 8
    std::size_t group = 512; ///< elements that share a scale

    /// The length of the code of `n` elements.
    [[nodiscard]] std::size_t bytes_of(std::size_t n) const noexcept {
        return (n + group - 1) / group * sizeof(float) + (bits == 8 ? n : (n + 1) / 2);
    }
    /// Writes the code of `x`. Precondition: `to` has bytes_of(x.size()) bytes.
    void encode(std::span<const float> x, const draws& random, std::span<std::uint8_t> to) const noexcept {
        const auto scales = to.first(to.size() - (bits == 8 ? x.size() : (x.size() + 1) / 2));
        const auto codes = to.subspan(scales.size());
        std::ranges::fill(codes, std::uint8_t{0});
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::size_t g = i / group;
            if (i % group == 0) put_scale(scales, g, largest_of(x.subspan(i, std::min(group, x.size() - i))));
            const int code = level_of(x[i], scale(scales, g), random.unit(i)) + most();
            if (bits == 8)
                codes[i] = static_cast<std::uint8_t>(code);
            else
                codes[i / 2] = static_cast<std::uint8_t>(codes[i / 2] | code << (i % 2 * 4));
        }
    }
    /// Reads the numbers of a code. Precondition: as of encode().
    void decode(std::span<const std::uint8_t> from, std::span<float> x) const noexcept {
        const auto codes = from.last(bits == 8 ? x.size() : (x.size() + 1) / 2);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const int code = bits == 8 ? codes[i] : codes[i / 2] >> (i % 2 * 4) & 15;
            x[i] = static_cast<float>(code - most()) * (scale(from, i / group) / static_cast<float>(most()));
        }
    }

private:
    [[nodiscard]] int most() const noexcept { return (1 << (bits - 1)) - 1; }
    /// By their bits, in which NaN is larger than infinity.
    [[nodiscard]] static float largest_of(std::span<const float> x) noexcept {
        std::uint32_t most = 0;
        for (const float v : x) most = std::max(most, std::bit_cast<std::uint32_t>(v) & 0x7fffffffU);
        return std::bit_cast<float>(most);
    }
    [[nodiscard]] int level_of(float x, float scale, float chance) const noexcept {
        if (scale == 0) return 0;
        if (!std::isfinite(scale)) return 1; // any level but 0 carries it
        const float exact = std::min(std::abs(x) / scale, 1.0F) * static_cast<float>(most()), below = std::floor(exact);
        const int level = static_cast<int>(below) + (chance < exact - below ? 1 : 0);
        return std::signbit(x) ? -level : level;
    }
    static void put_scale(std::span<std::uint8_t> to, std::size_t g, float scale) noexcept {
        std::memcpy(to.data() + g * sizeof(float), &scale, sizeof(float));
    }
    [[nodiscard]] static float scale(std::span<const std::uint8_t> from, std::size_t g) noexcept {
        float value;
        std::memcpy(&value, from.data() + g * sizeof(float), sizeof(float));
        return value;
    }
};

} // namespace tutti::training::compressed

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tutti::training::compressed {

/// Pseudo-random numbers that depend on a seed and their place alone, so that any rank can make any of them.
/// Source: SplitMix64 of Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
class draws {
public:
    /// Of a seed, and of up to two numbers that tell streams apart, such as a round and a rank.
    explicit constexpr draws(std::uint64_t seed, std::uint64_t a = 0, std::uint64_t b = 0) noexcept
        : key_(mixed(mixed(mixed(seed) + a) + b)) {}

    /// Number i, of 64 bits.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t i) const noexcept { return mixed(key_ + i); }
    /// Number i, at least 0 and less than 1.
    [[nodiscard]] constexpr float unit(std::uint64_t i) const noexcept {
        return static_cast<float>(bits(i) >> 40) * 0x1p-24F;
    }
    /// Number i, at least 0 and less than `end`, which is more than 0 and at most 2^32. Off from uniform by less than
    /// one part in 2^32.
    [[nodiscard]] constexpr std::uint64_t below(std::uint64_t end, std::uint64_t i) const noexcept {
        return (bits(i) >> 32) * end >> 32;
    }

    /// A seed of its own for each stream of a seed.
    [[nodiscard]] static constexpr std::uint64_t seed_of(std::uint64_t seed, std::uint64_t stream) noexcept {
        return draws(seed, stream).bits(0);
    }

private:
    [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    std::uint64_t key_;
};

} // namespace tutti::training::compressed

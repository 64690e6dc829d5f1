// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>

namespace tutti::soak {

/// Mixes a number so that each bit of the result depends on each bit of it (splitmix64).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// Random numbers that are the same with every compiler and standard library.
class dice {
public:
    explicit dice(std::uint64_t seed) noexcept : state_(seed) {}

    [[nodiscard]] std::uint64_t next() noexcept { return mixed(state_++); }
    /// From 0 to n - 1. Precondition: n > 0.
    [[nodiscard]] std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }
    [[nodiscard]] int below(int n) noexcept { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
    [[nodiscard]] int between(int least, int most) noexcept { return least + below(most - least + 1); }
    [[nodiscard]] bool chance(int percent) noexcept { return below(100) < percent; }
    template <class T>
    [[nodiscard]] T one_of(std::initializer_list<T> list) noexcept {
        return list.begin()[below(static_cast<std::uint64_t>(list.size()))];
    }

private:
    std::uint64_t state_;
};

} // namespace tutti::soak

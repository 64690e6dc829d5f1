// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/world.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <string>

/// Every element type with every operator, by one algorithm whose order is known: operands stay in rank order, so that
/// a serial fold is the reference to the last bit.
namespace tutti::test {

template <class T>
[[nodiscard]] T value_of(int rank, std::size_t i) {
    const auto seed = static_cast<unsigned>(rank * 977 + static_cast<int>(i) * 131);
    if constexpr (std::is_floating_point_v<T>) {
        constexpr T odd[] = {T(-0.0),
                             T(0.0),
                             T(1) / 3,
                             std::numeric_limits<T>::infinity(),
                             std::numeric_limits<T>::denorm_min(),
                             std::numeric_limits<T>::quiet_NaN()};
        return seed % 5 == 0 ? odd[seed / 5 % 6] : static_cast<T>(seed % 1000) / 7 - 60;
    } else {
        return static_cast<T>(seed * seed);
    }
}

/// Equal to the last bit that counts; a long double has padding.
template <class T>
[[nodiscard]] bool same_bits(const T& a, const T& b) {
    constexpr std::size_t bytes = std::numeric_limits<T>::digits == 64 && std::is_floating_point_v<T> ? 10 : sizeof(T);
    return std::memcmp(&a, &b, bytes) == 0;
}

template <class T, class Op>
void check(communicator& world, const Op& op) {
    constexpr std::size_t count = 67;
    std::array<T, count> data{};
    for (std::size_t i = 0; i < count; ++i) data[i] = value_of<T>(world.rank(), i);
    const algorithm::any one_shot = algorithm::one_shot{}; // folds in rank order
    world.allreduce(std::span<T>(data), op, one_shot);
    for (std::size_t i = 0; i < count; ++i) {
        T wanted = value_of<T>(0, i);
        for (int r = 1; r < world.size(); ++r) wanted = static_cast<T>(op(wanted, value_of<T>(r, i)));
        if constexpr (std::is_same_v<Op, average_operator>)
            wanted = static_cast<T>(wanted * (T{1} / static_cast<T>(world.size())));
        const bool both_nan = wanted != wanted && data[i] != data[i];
        if (!both_nan && !same_bits(data[i], wanted))
            expect(false, operator_name(op) + " of " + type_name<T>() + ", element " + std::to_string(i));
    }
}

} // namespace tutti::test

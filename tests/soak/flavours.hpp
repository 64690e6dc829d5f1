// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "dice.hpp"
#include "plan.hpp"

#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/reduction/operators.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Element types with operators, a handful that takes every way through the library. Values are small, so that each
/// reduction is exact in whatever order, and the serial result is the only one.
namespace tutti::soak {

template <class T, class Op, unsigned values, unsigned least>
struct elements {
    using type = T;
    static constexpr Op op{};
    [[nodiscard]] static T made(std::uint32_t noise) noexcept {
        const auto value = static_cast<std::int32_t>(noise % values + least);
        if constexpr (std::is_arithmetic_v<T>)
            return static_cast<T>(value);
        else
            return static_cast<T>(static_cast<float>(value));
    }
};

/// Composes x -> a x + b modulo 65536, a in the upper half: associative, and not commutative.
struct compose {
    [[nodiscard]] std::uint32_t operator()(std::uint32_t f, std::uint32_t g) const noexcept {
        const std::uint32_t a = (f >> 16) * (g >> 16), b = (f & 0xffff) * (g >> 16) + (g & 0xffff);
        return a << 16 | (b & 0xffff);
    }
};
struct composed {
    using type = std::uint32_t;
    static constexpr non_commutative<compose> op{};
    [[nodiscard]] static type made(std::uint32_t noise) noexcept { return noise | 0x10000; }
};

/// Calls use(elements) with those of a flavour.
template <class Use>
void with_flavour(flavour f, Use&& use) {
    switch (f) {
    case flavour::uint8_sum: return use(elements<std::uint8_t, sum_operator, 256, 0>{});
    case flavour::int32_sum: return use(elements<std::int32_t, sum_operator, 1000, 0>{});
    case flavour::int32_maximum: return use(elements<std::int32_t, maximum_operator, 1'000'000, 0>{});
    case flavour::float_sum: return use(elements<float, sum_operator, 1000, 0>{});
    case flavour::double_product: return use(elements<double, product_operator, 2, 1>{});
    case flavour::float16_sum: return use(elements<float16, sum_operator, 16, 0>{});
    case flavour::uint32_compose: return use(composed{});
    }
}

/// One rank's data of a call: element i is noise of `key` and i.
template <class Elements>
class series {
public:
    series(std::uint64_t call, int world_rank) noexcept
        : key_(static_cast<std::uint32_t>(mixed(call * 64 + static_cast<std::uint64_t>(world_rank)))) {}
    [[nodiscard]] typename Elements::type operator[](std::size_t i) const noexcept {
        const std::uint32_t x = (key_ ^ static_cast<std::uint32_t>(i)) * 0x9e3779b1U;
        return Elements::made(x >> 15 ^ x << 7);
    }

private:
    std::uint32_t key_;
};

} // namespace tutti::soak

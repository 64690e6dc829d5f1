// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithms.hpp"
#include "dice.hpp"
#include "plan.hpp"

namespace tutti::soak {

/// A random call on that family. `most_bytes` bounds one rank's vector.
[[nodiscard]] call drawn_call(dice& d, const plan& p, int family, std::size_t most_bytes);

/// A call that differs from `c` as said; nothing that ranks could agree on by chance.
[[nodiscard]] call unlike(dice& d, const call& c, difference how);

/// Whether calls can differ so from `c` at all.
[[nodiscard]] bool can_differ(const call& c, difference how) noexcept;

[[nodiscard]] std::size_t bytes_of(flavour f) noexcept;
[[nodiscard]] constexpr bool is_scheduled(operation o) noexcept { return o != operation::exchange; }
[[nodiscard]] constexpr bool reduces(operation o) noexcept {
    return is_scheduled(o) && schedule::reduces(scheduled(o));
}
[[nodiscard]] constexpr bool has_root(operation o) noexcept {
    return is_scheduled(o) && schedule::has_root(scheduled(o));
}
[[nodiscard]] constexpr bool has_parts(operation o) noexcept {
    return is_scheduled(o) && schedule::has_shards(scheduled(o));
}
[[nodiscard]] constexpr bool gathers(operation o) noexcept {
    return is_scheduled(o) && schedule::gathers(scheduled(o));
}
[[nodiscard]] constexpr bool is_scan(operation o) noexcept {
    return is_scheduled(o) && schedule::is_scan(scheduled(o));
}

} // namespace tutti::soak

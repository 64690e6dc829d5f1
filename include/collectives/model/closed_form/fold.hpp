// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bits.hpp"
#include "wire.hpp"

#include <algorithm>

namespace tutti::model::detail {

/// How butterflies over P ranks fold those beyond a power of two.
struct folding {
    int core = 1;   ///< ranks that swap
    int extra = 0;  ///< ranks that hand their data to one of the core, and get the result from it
    int rounds = 0; ///< log2 core

    constexpr explicit folding(int size) noexcept
        : core(1 << (bits(size) - 1)), extra(size - core), rounds(bits(size) - 1) {}
};

/// Rounds of a butterfly that take `rounds_s` together, which the first `extra` of the core begin `late_s` later than
/// the others, and after which these have one more message, of `last_s`, to send.
///
/// A rank's round ends L earlier if its peer's message has been waiting for it. So lateness reaches a rank with a delay
/// of L for each bit in which its number differs from that of a late one: all of them, for the last of the core; at
/// most those of extra - 1, for the late ones themselves.
template <class Model>
[[nodiscard]] double folded_s(const wire<Model>& w, const folding& f, double late_s, double rounds_s, double last_s) {
    const double near = bits(f.extra - 1) * w.latency(), far = f.rounds * w.latency();
    return rounds_s - far + std::max({late_s + near + last_s, far + last_s, late_s + far});
}

} // namespace tutti::model::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>

namespace tutti::algorithm::detail {

/// How butterflies deal with P that is not a power of two: the first 2·extra ranks pair up; the even one of a pair
/// hands its data to the odd one, waits, and gets the result. The others and the odd ones are the core: a power of two.
/// Neighbours pair up so that core order is rank order. Source: Thakur, Rabenseifner and Gropp, IJHPCA 2005.
struct core {
    int rounds = 0; ///< log2 of the core's size
    int size = 1;   ///< the largest power of two that is at most P
    int extra = 0;  ///< P - size

    constexpr explicit core(int ranks) noexcept {
        for (; size * 2 <= ranks; size *= 2) ++rounds;
        extra = ranks - size;
    }
    [[nodiscard]] constexpr bool waits(int rank) const noexcept { return rank < 2 * extra && rank % 2 == 0; }
    [[nodiscard]] constexpr bool has_partner(int rank) const noexcept { return rank < 2 * extra && rank % 2 == 1; }
    /// The number in the core of a rank that does not wait, and the way back.
    [[nodiscard]] constexpr int number_of(int rank) const noexcept {
        return rank < 2 * extra ? rank / 2 : rank - extra;
    }
    [[nodiscard]] constexpr int rank_of(int number) const noexcept {
        return number < extra ? 2 * number + 1 : number + extra;
    }
    /// The first of the shards that core member `number` stands for: its own and, before it, its partner's.
    [[nodiscard]] constexpr int first_shard(int number) const noexcept {
        return number + (number < extra ? number : extra);
    }
};

/// Rounds of a butterfly that take `rounds_s` together, which the first `extra` of the core begin `late_s` later than
/// the others, and after which these have one more message, of `last_s`, to send.
///
/// A rank's round ends L earlier if its peer's message has been waiting for it. So lateness reaches a rank with a delay
/// of L for each bit in which its number differs from that of a late one: all of them, for the last of the core; at
/// most those of extra - 1, for the late ones themselves.
template <class Costs>
[[nodiscard]] constexpr double folded_s(const Costs& c, const core& f, double late_s, double rounds_s, double last_s) {
    const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(f.extra - 1)));
    const double near = bits * c.latency(), far = f.rounds * c.latency();
    return rounds_s - far + std::max({late_s + near + last_s, far + last_s, late_s + far});
}

} // namespace tutti::algorithm::detail

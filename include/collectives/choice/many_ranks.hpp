// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/all.hpp"
#include "selection.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

/// The part of the rule that is derived by the model from published machines (docs/machines): for more than `few` ranks
/// over a network, one a node. Its constants are those of `tutti rule`; see docs/decisions/0022.
namespace tutti::model::detail {

[[nodiscard]] inline bool is_power_of_two(int n) noexcept { return std::has_single_bit(static_cast<unsigned>(n)); }

/// Everyone may well send to everyone at once.
[[nodiscard]] constexpr bool few(int ranks) noexcept { return ranks <= 8; }

/// How many rounds a butterfly takes.
[[nodiscard]] constexpr int rounds_of(int ranks) noexcept {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

[[nodiscard]] inline std::size_t part_of(std::size_t bytes, int parts) noexcept {
    return bytes / static_cast<unsigned>(parts);
}

/// Everyone sends each other a message of so many bytes: P messages, but no byte waits for a round. So their overhead,
/// which grows with P, must be less than what rounds wait for, which is less where these come out even; and they gain
/// little once the bytes take longer than some latencies.
[[nodiscard]] constexpr bool worth_exchanging(std::size_t message, int ranks, std::size_t bytes_a_rank = 32) noexcept {
    constexpr std::size_t long_message = std::size_t{2} << 20;
    return bytes_a_rank * static_cast<unsigned>(ranks) <= message && message < long_message;
}

/// A tree in segments that are short enough to keep many levels busy.
[[nodiscard]] inline selection in_short_segments(std::size_t bytes) {
    constexpr std::size_t worthwhile = 16 * 1024, fewest = 4;
    constexpr auto most = static_cast<std::size_t>(algorithm::double_binary_tree::most_segments);
    return {algorithm::double_binary_tree{},
            static_cast<int>(std::bit_floor(std::clamp(bytes / worthwhile, fewest, most)))};
}

/// The fewest bytes a rank: straight to each other, or by halves; where these do not come out even, in the fewest
/// rounds while the data are little, and around the ring while messages are long.
[[nodiscard]] inline algorithm::any by_halves_among_many(std::size_t bytes, int size) noexcept {
    using namespace algorithm;
    constexpr int not_too_many = 64; // for halves to wait for less than everyone
    constexpr std::size_t little_shard = 64 * 1024, a_rank = 32, a_rank_if_uneven = 12;
    const bool even = is_power_of_two(size);
    const std::size_t shard = part_of(bytes, size);
    if (worth_exchanging(shard, size, even ? a_rank : a_rank_if_uneven) && (!even || size <= not_too_many))
        return parameter_server{};
    if (even) return halving_doubling{};
    return shard <= little_shard ? any(circulant{}) : any(ring{});
}

/// An allreduce: the fewest rounds, each to several ranks at once, for little data; of two ranks, for somewhat more.
/// What is too much for that and too little to exchange goes by halves, or along two trees where these are not even.
[[nodiscard]] inline selection allreduce_among_many(std::size_t bytes, int size) {
    using namespace algorithm;
    constexpr std::size_t very_little = 8 * 1024, little = 128 * 1024;
    constexpr std::size_t little_shard = 4 * 1024, long_shard = std::size_t{2} << 20;
    const std::size_t shard = part_of(bytes, size);
    if (bytes <= very_little) return {butterfly_of{}};
    if (worth_exchanging(shard, size)) return {by_halves_among_many(bytes, size)};
    if (bytes * static_cast<unsigned>(rounds_of(size)) <= little) return {butterfly{}};
    if (is_power_of_two(size)) return {halving_doubling{}};
    if (shard < little_shard) return {circulant{}};
    return shard < long_shard ? in_short_segments(bytes) : selection{ring{}};
}

/// From or to a root: straight to few ranks, along a tree while a message is short, and else along two, in segments.
[[nodiscard]] inline selection root_among_many(std::size_t bytes, int size) {
    constexpr std::size_t very_little = 2 * 1024, little = 4 * 1024, little_for_some = 64 * 1024;
    constexpr int some = 16;
    if (size <= some && bytes <= very_little) return {algorithm::naive{}};
    if (bytes <= (size <= some ? little_for_some : little)) return {algorithm::binomial_tree{}};
    return in_short_segments(bytes);
}

} // namespace tutti::model::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/cartesian.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

/// What `tutti bench` measures of messages.
namespace tutti::tools {

enum class exchange : std::uint8_t {
    pingpong,      ///< a message there, one of the same length back: twice the latency
    sendrecv,      ///< each rank sends to the next and receives from the one before, all at once
    stream,        ///< 64 messages at once to the partner, which then sends one byte: the bandwidth
    bistream,      ///< 64 messages each way at once: the bidirectional bandwidth
    multi_latency, ///< pingpong of a rank of the lower half of the ranks with one of the upper half
    message_rate,  ///< stream from ranks of the lower half to those of the upper half: the message rate of all pairs
    halo,          ///< each rank exchanges the edges of its square with those around it; then a maximum over all
};
inline constexpr std::array<std::string_view, 7> exchange_names{"pingpong",      "sendrecv",     "stream", "bistream",
                                                                "multi_latency", "message_rate", "halo"};
[[nodiscard]] constexpr std::string_view name_of(exchange e) noexcept {
    return exchange_names[static_cast<std::size_t>(e)];
}

/// Ranks talk two by two; else all of them at once.
[[nodiscard]] constexpr bool is_of_pairs(exchange e) noexcept { return e != exchange::sendrecv && e != exchange::halo; }

/// In bytes: a rank keeps the square of it.
inline constexpr std::size_t longest_halo_edge = 32 * 1024;
/// The ranks of a halo exchange: a grid that is as square as can be, and periodic.
[[nodiscard]] inline cartesian halo_grid(int ranks) { return cartesian(dims_create(ranks, 2), {true, true}); }
/// Calls visit(to, from, by_rows) for each message of a rank: first those by rows. None where the grid is one rank
/// wide.
void each_halo_message(int rank, const cartesian& grid, const auto& visit) {
    for (const std::size_t d : {0U, 1U})
        for (const int to : {1, -1})
            if (grid.extents()[d] > 1) visit(*grid.shift(rank, d, to), *grid.shift(rank, d, -to), d == 0);
}

/// The messages of a stream.
inline constexpr std::size_t stream_messages = 64;

/// A message goes there and one comes back.
[[nodiscard]] constexpr bool returns(exchange e) noexcept {
    return e == exchange::pingpong || e == exchange::multi_latency;
}
/// The rank that begins waits for an answer: its time is the whole, of which the other one may come late to the first
/// part.
[[nodiscard]] constexpr bool is_answered(exchange e) noexcept { return is_of_pairs(e) && e != exchange::bistream; }
/// Pairs are of the lower and the upper half of the ranks, so that they lie on different nodes where ranks fill these
/// in order. Other pairs are of neighbours.
[[nodiscard]] constexpr bool between_halves(exchange e) noexcept {
    return e == exchange::multi_latency || e == exchange::message_rate;
}

/// Which ranks talk to each other.
struct pairing {
    bool halves = false;
    int ranks = 2;
    int pairs = 1;                             ///< the first so many: from 1 to ranks / 2
    std::optional<std::pair<int, int>> only{}; ///< this pair, and no other

    /// The pair that a rank belongs to; the last of an odd number belongs to none.
    [[nodiscard]] constexpr std::optional<int> pair_of(int rank) const noexcept {
        if (only) return rank == only->first || rank == only->second ? std::optional(0) : std::nullopt;
        const int half = ranks / 2, pair = halves ? rank % half : rank / 2;
        return rank < 2 * half && pair < pairs ? std::optional(pair) : std::nullopt;
    }
    /// The rank that this one talks to, if it belongs to a pair.
    [[nodiscard]] constexpr std::optional<int> partner_of(int rank) const noexcept {
        if (!pair_of(rank)) return std::nullopt;
        if (only) return rank == only->first ? only->second : only->first;
        const int half = ranks / 2;
        if (halves) return rank < half ? rank + half : rank - half;
        return rank ^ 1;
    }
    /// Of each pair, the rank that begins.
    [[nodiscard]] constexpr bool begins(int rank) const noexcept {
        if (only) return rank == only->first;
        return halves ? rank < ranks / 2 : rank % 2 == 0;
    }
};

/// Messages of one iteration that its bandwidth and its rate count: those of one pair, and of `message_rate` of all.
[[nodiscard]] constexpr std::size_t messages_of(exchange e, int pairs) noexcept {
    if (e == exchange::stream) return stream_messages;
    if (e == exchange::bistream) return 2 * stream_messages;
    return e == exchange::message_rate ? stream_messages * static_cast<std::size_t>(pairs) : 1;
}

/// The rank whose data are in this one's output afterwards; none where nothing has come.
[[nodiscard]] inline std::optional<int> source_of(exchange e, int rank, const pairing& p) {
    if (e == exchange::halo) return p.ranks > 1 ? halo_grid(p.ranks).shift(rank, 0, -1) : std::nullopt;
    if (e == exchange::sendrecv) return (rank + p.ranks - 1) % p.ranks;
    const bool one_way = e == exchange::stream || e == exchange::message_rate;
    return one_way && p.begins(rank) ? std::nullopt : p.partner_of(rank);
}

} // namespace tutti::tools

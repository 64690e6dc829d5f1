// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "processors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::bootstrap {

/// A rank's address in one of its fabrics. Only that fabric reads the bytes.
struct fabric_card {
    std::string fabric;           ///< its name
    std::vector<std::byte> bytes; ///< at most max_card_bytes
    friend bool operator==(const fabric_card&, const fabric_card&) = default;
};

/// One rank as the others must know it.
struct member {
    std::int32_t rank = -1;         ///< in the world
    std::int32_t size = 0;          ///< of the world that it expects
    std::string address;            ///< where it listens for data: a literal IPv4 or IPv6 address
    std::uint16_t port = 0;         ///< and a port; 0: none of its fabrics has sockets
    std::string host;               ///< host name, for people
    std::string host_id;            ///< equal exactly where ranks run on one kernel under one name, see identity::host
    allotment may_use;              ///< of its host
    std::int64_t pid = 0;           ///< its process
    std::vector<fabric_card> cards; ///< one for each fabric of its transport, in order
    std::string group{};            ///< the program's name for the world, at most max_group_bytes
    std::int32_t global_rank = -1;  ///< the program's number of the rank
    friend bool operator==(const member&, const member&) = default;
};

/// Everyone, as rank 0 found them; the same on every rank.
struct world_table {
    std::uint64_t world = 0;     ///< drawn by rank 0; goes into the hello of every data connection
    std::vector<member> members; ///< by rank
    bool encrypted = false;      ///< data over TCP stay inside TLS; the same on all ranks

    /// A processor of this rank's host that is its own, if the ranks there can have one each: share_out() gives it.
    /// Nothing where the host is crowded. Ranks of one host share it out alike.
    [[nodiscard]] std::optional<int> processor_of(int rank) const;
    /// The ranks of this rank's host cannot have a processor each: who waits must let others run.
    [[nodiscard]] bool crowded(int rank) const { return !processor_of(rank); }

    /// The host of each rank, numbered by first appearance.
    [[nodiscard]] std::vector<int> nodes() const;
};

inline constexpr std::size_t max_name_bytes = 512;  ///< of any string of a member
inline constexpr std::size_t max_group_bytes = 63;  ///< of the program's name for a world
inline constexpr std::size_t max_cards = 8;         ///< of a member
inline constexpr std::size_t max_card_bytes = 4096; ///< of each

} // namespace tutti::transport::bootstrap

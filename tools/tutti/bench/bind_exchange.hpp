// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <collectives/communicator.hpp>

#include <cstddef>
#include <span>

namespace tutti::tools {

/// The calls of an exchange on this communicator, which must outlive them.
template <class Communicator>
[[nodiscard]] call bind_exchange(const Communicator& world, const job& what, const buffers& where) {
    const std::span<const std::byte> out(where.input, what.bytes());
    const std::span<std::byte> in(where.output, what.bytes());
    const int rank = what.rank, ranks = what.ranks;
    if (*what.messages == exchange::sendrecv)
        return [=, &world] { world.sendrecv(out, (rank + 1) % ranks, in, (rank + ranks - 1) % ranks); };
    const auto partner = partner_of(rank, ranks);
    if (!partner) return [] {};
    const int peer = *partner;
    if (*what.messages == exchange::pingpong && begins(rank))
        return [=, &world] {
            world.send(out, peer);
            world.receive(in, peer);
        };
    if (*what.messages == exchange::pingpong)
        return [=, &world] {
            world.receive(in, peer);
            world.send(out, peer);
        };
    return [=, &world] {
        std::byte last{};
        auto all = world.group();
        for (std::size_t i = 0; i < stream_messages; ++i) begins(rank) ? all.send(out, peer) : all.receive(in, peer);
        if (begins(rank)) all.receive(last, peer);
        all.wait();
        if (!begins(rank)) world.send(last, peer);
    };
}

} // namespace tutti::tools

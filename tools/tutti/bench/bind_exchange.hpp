// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <collectives/communicator.hpp>

#include <cstddef>
#include <span>

namespace tutti::tools {

namespace detail {

template <class Communicator>
[[nodiscard]] call bind_stream(const Communicator& world, std::span<const std::byte> out, std::span<std::byte> in,
                               int peer, bool begins) {
    return [=, &world] {
        std::byte last{};
        auto all = world.group();
        for (std::size_t i = 0; i < stream_messages; ++i) begins ? all.send(out, peer) : all.receive(in, peer);
        if (begins) all.receive(last, peer);
        all.wait();
        if (!begins) world.send(last, peer);
    };
}

template <class Communicator>
[[nodiscard]] call bind_both_ways(const Communicator& world, std::span<const std::byte> out, std::span<std::byte> in,
                                  int peer) {
    return [=, &world] {
        auto all = world.group();
        for (std::size_t i = 0; i < stream_messages; ++i) all.receive(in, peer);
        for (std::size_t i = 0; i < stream_messages; ++i) all.send(out, peer);
        all.wait();
    };
}

} // namespace detail

/// The calls of an exchange on this communicator, which must outlive them.
template <class Communicator>
[[nodiscard]] call bind_exchange(const Communicator& world, const job& what, const buffers& where) {
    const std::span<const std::byte> out(where.input, what.bytes());
    const std::span<std::byte> in(where.output, what.bytes());
    const int rank = what.rank, ranks = what.ranks;
    const exchange e = *what.messages;
    if (e == exchange::sendrecv)
        return [=, &world] { world.sendrecv(out, (rank + 1) % ranks, in, (rank + ranks - 1) % ranks); };
    const pairing pairs = what.pairs_of_ranks();
    const auto partner = pairs.partner_of(rank);
    if (!partner) return [] {};
    const int peer = *partner;
    if (e == exchange::bistream) return detail::bind_both_ways(world, out, in, peer);
    if (!returns(e)) return detail::bind_stream(world, out, in, peer, pairs.begins(rank));
    if (pairs.begins(rank))
        return [=, &world] {
            world.send(out, peer);
            world.receive(in, peer);
        };
    return [=, &world] {
        world.receive(in, peer);
        world.send(out, peer);
    };
}

} // namespace tutti::tools

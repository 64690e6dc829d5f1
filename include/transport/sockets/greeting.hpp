// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../../base/version.hpp"
#include "address.hpp"
#include "secret.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <unistd.h>

namespace tutti::transport::bootstrap {

inline constexpr std::uint16_t wire_version = tutti::detail::wire_version; ///< as greetings have it

enum class purpose : std::uint8_t { control, data };

/// The address of a listener, as both sides of a connection write it. IPv4 is mapped into IPv6; all zero: not said.
struct place {
    std::array<std::uint8_t, 16> host{};
    std::uint16_t port = 0;
    friend bool operator==(const place&, const place&) = default;
};

[[nodiscard]] inline place place_of(const address& where) {
    place out;
    const auto octets = where.octets();
    if (octets.size() == 4) out.host[10] = out.host[11] = 0xff;
    std::copy(octets.begin(), octets.end(), out.host.end() - static_cast<std::ptrdiff_t>(octets.size()));
    out.port = where.port();
    return out;
}

/// Tells this process from all others: from its children, and from one that has its number later.
[[nodiscard]] inline std::uint64_t process_mark() {
    static const std::uint64_t drawn = [] {
        std::uint64_t bits = 0;
        draw(std::as_writable_bytes(std::span(&bits, 1)));
        return bits;
    }();
    return drawn + static_cast<std::uint64_t>(::getpid()); // a child has the same bits
}

/// The first message of a rank that connects.
struct hello {
    purpose what = purpose::control;
    std::uint16_t lane = 0;
    std::int32_t rank = -1; ///< the connecting rank
    std::int32_t peer = -1; ///< the rank that it wants; 0 for control
    std::int32_t size = 0;  ///< ranks of the world
    /// Data: the world's id, which rank 0 drew at random. Control: the process that asks, see process_mark().
    std::uint64_t world = 0;
    /// Data: where the table of ranks says that the peer listens. Nothing for control: the way to the rendezvous may
    /// lead through forwarded ports.
    place at = {};
    bool encrypted = false;  ///< data: stay inside TLS
    std::uint8_t fabric = 0; ///< data: which of the world's fabrics
    friend bool operator==(const hello&, const hello&) = default;
};

/// The rules that a hello must satisfy.
struct hello_rules {
    purpose what = purpose::control;
    std::int32_t rank = 0;    ///< data: this rank, which it must want
    std::int32_t size = 0;    ///< data: ranks of the world. For control the join that follows is judged instead
    std::uint64_t world = 0;  ///< data: its id
    std::uint16_t lanes = 1;  ///< lanes are numbered below this
    place at = {};            ///< data: where this rank listens, as the table of ranks has it
    bool encrypted = false;   ///< data: those of this rank do
    std::uint8_t fabrics = 1; ///< data: fabrics are numbered below this
    /// Control: who asks is to come again, since it wants a world that is not there yet. Empty: nobody is.
    std::function<bool(const hello&)> too_early = {};
};

namespace detail {

inline constexpr std::uint32_t magic = 0x49545554; // "TUTI"
inline constexpr std::size_t greeting_bytes = 49;

/// Magic 4, version 2, purpose 1, encrypted 1, fabric 1, lane 2, port 2, rank 4, peer 4, size 4, world 8, address 16.
TUTTI_COLD inline std::vector<std::byte> encode_greeting(const hello& h) {
    std::vector<std::byte> out;
    tutti::detail::byte_writer w(out);
    w.integer(magic);
    w.integer(wire_version);
    w.integer(static_cast<std::uint8_t>(h.what));
    w.integer(static_cast<std::uint8_t>(h.encrypted));
    w.integer(h.fabric);
    w.integer(h.lane);
    w.integer(h.at.port);
    w.integer(h.rank);
    w.integer(h.peer);
    w.integer(h.size);
    w.integer(h.world);
    w.raw(std::as_bytes(std::span(h.at.host)));
    return out;
}

/// The hello in a whole greeting whose magic and version were found good.
inline hello decode_greeting(std::span<const std::byte> greeting) {
    tutti::detail::byte_reader r(greeting.subspan(6));
    hello h;
    h.what = static_cast<purpose>(r.integer<std::uint8_t>());
    h.encrypted = r.integer<std::uint8_t>() != 0;
    h.fabric = r.integer<std::uint8_t>();
    h.lane = r.integer<std::uint16_t>();
    h.at.port = r.integer<std::uint16_t>();
    h.rank = r.integer<std::int32_t>();
    h.peer = r.integer<std::int32_t>();
    h.size = r.integer<std::int32_t>();
    h.world = r.integer<std::uint64_t>();
    std::ranges::transform(r.raw(h.at.host.size()), h.at.host.begin(), std::to_integer<std::uint8_t>);
    return h;
}

} // namespace detail

} // namespace tutti::transport::bootstrap

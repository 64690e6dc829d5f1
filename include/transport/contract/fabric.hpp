// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "members.hpp"
#include "transport.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport {

namespace detail::connections {
class manager;
struct arrival;
} // namespace detail::connections

/// Given to a fabric when all ranks have come, for the time of the call.
struct joined_world {
    int rank;                            ///< this one
    std::uint8_t fabric;                 ///< the fabric's number in the world's list
    const bootstrap::world_table& table; ///< everyone
    /// Connects to peers; null unless a fabric `needs_sockets`, and in a world of one rank.
    detail::connections::manager* sockets{};

    /// The card of another rank's fabric of the same number.
    [[nodiscard]] std::span<const std::byte> card_of(int peer) const {
        return table.members[static_cast<std::size_t>(peer)].cards[fabric].bytes;
    }
};

/// A rank, and the card of one of its fabrics.
struct fabric_end {
    const bootstrap::member& of;     ///< the rank
    std::span<const std::byte> card; ///< its address in the fabric
};

// clang-format off
/// A fabric carries messages to the ranks that it reaches, and knows of no control plane. A `world` makes a transport of a
/// list of fabrics. `D` describes one; where only D is seen, D::fabric may be incomplete, or D may be that class. How to
/// write and prove one: docs/own-fabric.md.
///
/// | expression       | meaning |
/// |------------------|---------|
/// | D::fabric D::channel D::limits | the class, its channels, its options |
/// | D::name          | for errors |
/// | D::between       | the medium of its messages |
/// | D::views         | it has f.look(h, x) and f.release(h), as viewing_transport has them |
/// | D::allocates     | it has f.allocate(bytes): memory that peers reach, as shared_memory has it |
/// | D::needs_sockets | the world is to connect it to peers: joined_world::sockets, f.connected(arrival), of connections/manager.hpp, and c.awaits_connections(): peers that are to dial have not; as fabrics/tcp/fabric.hpp |
///
/// Of the fabric `f`, a const one `c`:
///
/// | expression            | meaning |
/// |-----------------------|---------|
/// | F(limits)             | before the world has come together |
/// | c.card()              | how others reach this rank by it: at most 4 KiB, exchanged once; all ranks' together 4 MiB |
/// | F::reaches(a, b)      | whether it carries messages between two ranks: a pure function of their cards, equal for (b, a). A pair that this fabric does not reach is left to the next of the list; a link that fails later is an error, never a reason to take another |
/// | F::name_of(m)         | how it addresses that rank, for errors |
/// | f.join(w)             | once, before any channel |
/// | f.open f.send f.receive f.close f.broken | as a transport has them, for peers that it reaches; open returns a pointer |
/// | f.progress()          | moves data without blocking; true if anything moved |
/// | f.arm()               | before a sleep: true if there is something to do after all. Else c.descriptor(), which epoll(7) takes and which is made non-blocking, becomes readable when there is, until f.disarm() |
/// | c.descriptor()        | one for all its links, so that waiting costs the same however many there are; the same open file from f.join on, and no other fabric's |
/// | c.due()               | when progress() is wanted though nothing came |
/// | f.disarm()            | after each arm() |
/// | f.finish()            | the rank leaves: nothing is started any more, and progress() is not called again |
/// | f.untaken(peer)       | after that: bytes of completed sends that would be lost if this rank went now; 0 for a peer that is gone |
///
/// Optional:
///
/// | expression            | meaning |
/// |-----------------------|---------|
/// | D::reaches_devices    | true: messages may lie in memory of a GPU, and it has c.is_on_device(p) |
/// | D::registers          | true: it has f.register_memory(p, bytes), from any thread, for memory of the user's own |
/// | f.ready()             | progress() would move something, or a peer has rung; asked instead of progress() while the world spins, for some milliseconds, whatever is due() |
/// | F::why_not(a, b)     | where reaches(a, b) is false: why, in words, or empty; a is this rank |
/// | f.locate(address)     | before c.card(): the address of this rank's data, a literal |
/// | f.way_to(peer)        | how messages to that rank travel, in words; else F::name_of is told |
/// | f.pin()               | any thread: another fabric has adopted memory of this one, whose pages are not to be replaced |
/// | f.adopt(memory, bytes) | any thread: symmetric memory of another fabric of the world; returns it, or a pointer that stands for it |
/// | f.blame(by) c.blamed_by(peer) | tells all peers that are connected which culprit this rank's calls fail by; what the peer has told so |
/// | f.shortage()          | what this rank lacks for all its peers, as transport's shortage(peer) |
/// | f.sleep(until) f.ask() f.wake() f.raise_alarm() | how it sleeps where it is the only one; ask is as arm, but for sleep |
/// | f.sleep_by_descriptor() | else that is called first of all; or later, where an event loop of the program's is to sleep for it, and c.descriptor() is the same from then on |
// clang-format on
template <class D>
concept fabric =
    requires(typename D::fabric f, const typename D::fabric c, typename D::channel& h, transfer& x, context k, int peer,
             const joined_world& w, const fabric_end& end, const bootstrap::member& m) {
        { D::name } -> std::convertible_to<const char*>;
        { D::between } -> std::convertible_to<medium>;
        { D::views } -> std::convertible_to<bool>;
        { D::allocates } -> std::convertible_to<bool>;
        { D::needs_sockets } -> std::convertible_to<bool>;
        { c.card() } -> std::same_as<std::vector<std::byte>>;
        { D::fabric::reaches(end, end) } -> std::same_as<bool>;
        { D::fabric::name_of(m) } -> std::same_as<std::string>;
        { f.join(w) } -> std::same_as<void>;
        { f.open(k, peer) } -> std::same_as<typename D::channel*>;
        { f.send(h, x) } -> std::same_as<void>;
        { f.receive(h, x) } -> std::same_as<void>;
        { f.close(k) } -> std::same_as<void>;
        { f.broken(peer) } -> std::same_as<std::optional<std::string>>;
        { f.progress() } -> std::same_as<bool>;
        { f.arm() } -> std::same_as<bool>;
        { c.descriptor() } -> std::same_as<int>;
        { c.due() } -> std::same_as<clock::time_point>;
        { f.disarm() } -> std::same_as<void>;
        { f.finish() } -> std::same_as<void>;
        { f.untaken(peer) } -> std::same_as<std::size_t>;
        requires std::constructible_from<typename D::fabric, const typename D::limits&>;
        requires !D::views || requires { f.look(h, x), f.release(h); };
        requires !D::allocates || requires { f.allocate(std::size_t{}); };
        requires !D::needs_sockets ||
                     requires(detail::connections::arrival&& a) { f.connected(std::move(a)), c.awaits_connections(); };
    };

} // namespace tutti::transport

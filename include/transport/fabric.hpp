// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bootstrap/member.hpp"
#include "bootstrap/secret.hpp"
#include "transport.hpp"

#include <poll.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tutti::transport {

/// What carries messages to the ranks that it reaches, and knows of no control plane: with a bootstrap::session beside
/// it, it is a transport; so are two of them, see routed. What it shares with a transport means the same there.
template <class F>
concept fabric = requires(F f, typename F::channel& h, transfer& x, context k, int peer) {
    { f.open(k, peer) } -> std::same_as<typename F::channel&>;
    { f.send(h, x) } -> std::same_as<void>;
    { f.receive(h, x) } -> std::same_as<void>;
    { f.progress() } -> std::same_as<bool>;
    { f.close(k) } -> std::same_as<void>;
    { f.broken(peer) } -> std::same_as<std::optional<std::string>>;
};

// clang-format off
/// A fabric on which peers ring whoever sleeps. `f` is one, `c` a const one.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | f.sleep_in_poll() | before anybody knows of it: this rank will sleep in poll(2) |
/// | f.mine()          | what the others find it by: file() and key(), for session::join() |
/// | f.join(rank, w)   | once, before any channel: the world in which it reaches the ranks of its host |
/// | c.ready()         | progress() would move something |
/// | f.ask()           | the same; if not, this rank is rung when that changes |
/// | f.rung()          | true once for any number of rings since the last time |
/// | f.lie_down()      | before poll(2); false if there was a ring meanwhile. After that a ring makes c.bell() readable |
/// | f.get_up()        | after poll(2), in any case |
/// | f.wake()          | any thread: a ring by this rank itself |
/// | f.allocate(n)     | any thread: symmetric memory |
/// | f.look(h, x) f.release(h) | of a viewed receive, as viewing_transport has them |
// clang-format on
template <class F>
concept ringing_fabric = fabric<F> && requires(F f, const F c, typename F::channel& h, const transfer& x, int rank,
                                               const bootstrap::world_table& w) {
    { f.sleep_in_poll() } -> std::same_as<void>;
    { f.mine().file() } -> std::same_as<int>;
    { f.mine().key() } -> std::same_as<std::uint64_t>;
    { f.join(rank, w) } -> std::same_as<void>;
    { c.ready() } -> std::same_as<bool>;
    { f.ask() } -> std::same_as<bool>;
    { f.rung() } -> std::same_as<bool>;
    { f.lie_down() } -> std::same_as<bool>;
    { f.get_up() } -> std::same_as<void>;
    { c.bell() } -> std::same_as<int>;
    { f.wake() } -> std::same_as<void>;
    { f.allocate(std::size_t{}) } -> std::same_as<std::shared_ptr<std::byte>>;
    { f.look(h, x) } -> std::same_as<const std::byte*>;
    { f.release(h) } -> std::same_as<bool>;
};

// clang-format off
/// A fabric of sockets, which alone knows what poll(2) is to look at. `f` is one, `c` a const one.
///
/// | expression         | meaning |
/// |--------------------|---------|
/// | c.port()           | where it listens |
/// | f.join(rank, s, w) | once, before any channel: the world, and the secret that its ranks prove to know |
/// | f.look(t, others)  | sleeps until something can be moved, one of the `others` is ready, or t; then moves what can be, true if anything did |
/// | f.flush()          | gives what was sent a bounded time to reach the peers' kernels |
// clang-format on
template <class F>
concept polling_fabric =
    fabric<F> && requires(F f, const F c, int rank, const bootstrap::secret& s, const bootstrap::world_table& w,
                          clock::time_point t, std::span<const pollfd> others) {
        { c.port() } -> std::same_as<std::uint16_t>;
        { f.join(rank, s, w) } -> std::same_as<void>;
        { f.look(t, others) } -> std::same_as<bool>;
        { f.flush() } -> std::same_as<void>;
    };

} // namespace tutti::transport

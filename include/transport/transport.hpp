// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "medium.hpp"
#include "notice.hpp"
#include "transfer.hpp"

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Transports carry messages. A transport belongs to one rank and is driven by one thread at a time; only wake() may be
/// called from others.
namespace tutti::transport {

using clock = std::chrono::steady_clock;

/// A stream of collectives that must not be held up by others: the `slot`-th of a communicator.
struct context {
    std::uint64_t communicator = 0;
    std::uint32_t slot = 0;
    friend constexpr auto operator<=>(const context&, const context&) = default;
};

/// A peer in words, for errors.
struct peer_name {
    std::string host;
    std::string address;
};

// clang-format off
/// The contract. `t` is a transport, `c` a const one, `h` a channel, `x` a transfer, `k` a context.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | c.rank() c.size() | this rank in the world, and the number of ranks; constant |
/// | c.node(peer)      | the node (host) that rank `peer` of the world is on: nodes are numbered by first appearance in rank order, the same on all ranks; constant |
/// | T::near, T::far   | the medium between ranks of a node, and between nodes |
/// | c.crowded()       | more ranks share this host than it has cores: waiting must yield at once |
/// | t.open(k, peer)   | the channel to and from `peer` (not this rank) in context k, whether or not that one has opened it. Idempotent; the address stays valid until close(k). Connects in the background when it must; nothing is exchanged with ranks that no context opened |
/// | t.send(h, x)      | starts a message. Messages of a channel arrive in the order of their starts; many may be in flight. Complete when x.from may be reused. May be complete on return |
/// | t.receive(h, x)   | starts the receive of the channel's next message: x.to = incoming, or with x.reduce x.to = x.from ∘ incoming, handing the reducer whole elements in any number of calls, in order. Complete when all is in x.to. A message with another signature or length completes it as `mismatched`, x.to untouched |
/// | shorter messages  | a receive with x.may_be_shorter, which is plain, takes a message of fewer bytes too: x.bytes becomes its length (accepts() of transfer.hpp compares both) |
/// | zero length       | a message of 0 bytes is a message: it is sent, ordered, checked and completed like any other; x.from and x.to may be null |
/// | credits           | a send whose receive has not started either completes (kept in a buffer of bounded size per channel) or stays pending; a short one, of 64 bytes at least, completes while that buffer has room. It never delays another channel, whatever its context. That holds for any number of contexts that the peer has not opened, or opens in another order |
/// | t.progress()      | moves data without blocking; true if anything moved |
/// | t.wait(until)     | returns when progress() or fetch() may have something to do, after wake(), or at `until`; may spin and yield briefly, then sleeps. May return early |
/// | t.wake()          | any thread: ends a wait under way, or the next one |
/// | t.close(k)        | cancels: no memory of k's transfers is touched after it returns, none of them completes, later messages for k are dropped. Other contexts, also to the same peers, are not disturbed |
/// | t.tell(n)         | hands a notice to the coordinator; never blocks |
/// | t.fetch(n)        | takes the next notice from the coordinator; false if there is none; never blocks |
/// | t.broken(peer)    | why the data channel to `peer` does not work any more (all that had arrived was delivered first); empty while it works or was never needed |
/// | c.name_of(peer)   | host and address of a rank, for errors |
/// | ~T                | tells the coordinator `left`. Data of completed sends get a second to arrive; a lingering_transport gives it longer |
///
/// A transport may have t.shortage(peer) as well: the resource that this rank itself lacks (descriptors, memory) to reach that peer,
/// with the limit and the remedy, in words that begin with "it"; empty while it lacks nothing. It ends the waiting calls, on all
/// ranks, and names this one.
///
/// A peer's death never blocks, throws or crashes any of these: it shows in broken() and in fetch().
// clang-format on
template <class T>
concept transport = requires(T t, const T c, typename T::channel& h, transfer& x, context k, int peer, notice n,
                             clock::time_point until) {
    { c.rank() } -> std::same_as<int>;
    { c.size() } -> std::same_as<int>;
    { c.node(peer) } -> std::same_as<int>;
    { T::near } -> std::convertible_to<medium>;
    { T::far } -> std::convertible_to<medium>;
    { c.crowded() } -> std::same_as<bool>;
    { t.open(k, peer) } -> std::same_as<typename T::channel&>;
    { t.send(h, x) } -> std::same_as<void>;
    { t.receive(h, x) } -> std::same_as<void>;
    { t.progress() } -> std::same_as<bool>;
    { t.wait(until) } -> std::same_as<void>;
    { t.wake() } -> std::same_as<void>;
    { t.close(k) } -> std::same_as<void>;
    { t.tell(n) } -> std::same_as<void>;
    { t.fetch(n) } -> std::same_as<bool>;
    { t.broken(peer) } -> std::same_as<std::optional<std::string>>;
    { c.name_of(peer) } -> std::same_as<peer_name>;
};

/// Bytes that a leaving rank had sent and a peer has not taken.
struct untaken {
    int peer;
    std::size_t bytes;
};

// clang-format off
/// A transport whose completed sends may still be on their way.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | t.leave(until)    | once, the last thing before ~T: tells the coordinator `leaving`, starts nothing any more, and waits until the peers that are still there have taken all, or until then; returns what they have not |
// clang-format on
template <class T>
concept lingering_transport = transport<T> && requires(T t, clock::time_point until) {
    { t.leave(until) } -> std::same_as<std::vector<untaken>>;
};

// clang-format off
/// A transport that can leave messages where they lie. It may complete a receive of some bytes that has x.may_view with
/// x.viewed, and x.to untouched; others it stores as ever.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | x.viewed          | the message waits to be read; meanwhile its send may stay pending, and no later message of the channel is received |
/// | t.look(h, x)      | where it lies; stays readable until t.release(h, x), before which nothing but other looks is asked of t. Null: the sender has taken it back |
/// | t.release(h, x)   | after each look, null or not: it has been read. False: the sender has taken it back meanwhile, so what was read is void, and the receive stays as if its message had never come |
/// | t.close(k)        | forgets messages that were not looked at. A close on the sender's side waits for a reader, or has its release return false |
// clang-format on
template <class T>
concept viewing_transport = transport<T> && requires(T t, typename T::channel& h, transfer& x) {
    { t.look(h, x) } -> std::same_as<const std::byte*>;
    { t.release(h, x) } -> std::same_as<bool>;
};

} // namespace tutti::transport

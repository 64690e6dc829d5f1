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

/// Transports carry messages. A transport belongs to one rank and is driven by one thread at a time; only wake() and
/// call() may be called from others.
namespace tutti::transport {

/// The clock of deadlines.
using clock = std::chrono::steady_clock;

/// One of the independent sequences of calls of a communicator: calls k with equal k modulo the number of slots.
/// Messages of different contexts never wait for each other.
struct context {
    std::uint64_t communicator = 0; ///< the number of the communicator, equal on all of its ranks
    std::uint32_t slot = 0;         ///< from 0
    friend constexpr auto operator<=>(const context&, const context&) = default;
};

/// A peer in words, for errors.
struct peer_name {
    std::string host;     ///< the name of its host
    std::string address;  ///< its address
    std::string group{};  ///< the program's name for its world
    int global_rank = -1; ///< the program's number of it
};

// clang-format off
/// The contract. `t` is a transport, `c` a const one, `h` a channel, `x` a transfer, `k` a context. To complete a
/// transfer the transport calls complete(x), which pushes x to x.owner. Until then, or until close(k), x belongs to the transport.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | c.rank() c.size() | this rank in the world, and the number of ranks; constant |
/// | c.node(peer)      | the node (host) that rank `peer` of the world is on: nodes are numbered by first appearance in rank order, the same on all ranks; constant |
/// | T::near, T::far   | the medium between ranks of a node, and between nodes |
/// | c.crowded()       | the ranks of this host cannot have a processor each: waiting must yield at once |
/// | t.open(k, peer)   | the channel to and from rank `peer` (never this rank) in context k, whether or not the peer has opened it. Idempotent; the address stays valid until close(k). Connects in the background. Exchanges nothing with ranks to which no channel was opened |
/// | t.send(h, x)      | starts a message. Messages of a channel arrive in the order of their starts; many may be in flight. Complete when x.from may be reused. May be complete on return |
/// | t.receive(h, x)   | starts the receive of the channel's next message: x.to = incoming, or with x.reduce x.to = x.from ∘ incoming, handing the reducer whole elements in any number of calls, in order. Complete when all is in x.to. A message with another signature or length completes it as `mismatched`, x.to untouched |
/// | shorter messages  | a receive with x.may_be_shorter, which is plain, takes a message of fewer bytes too: x.bytes becomes its length (accepts() of transfer.hpp compares both) |
/// | followed sends    | a send with x.followed may wait for the next send to the same peer, which the caller starts at once, or for progress(), so that both travel together. No transport has to heed it |
/// | zero length       | a message of 0 bytes is a message: it is sent, ordered, checked and completed like any other; x.from and x.to may be null |
/// | credits           | a send whose receive has not started stays pending, or completes into a buffer that is bounded per channel; a short one, of 64 bytes at least, completes while that has room. It never delays another channel, whatever its context, however many contexts the peer has not opened yet or opens in another order |
/// | t.progress()      | moves data without blocking; true if anything moved |
/// | t.wait(until)     | returns when progress() or fetch() may have something to do, after wake(), or at `until`; may spin and yield for some milliseconds, as `backoff` does, then sleeps. May return early |
/// | t.wake()          | any thread: ends a wait under way, or the next one |
/// | t.close(k)        | for any k, opened or not. Cancels: no memory of k's transfers is touched after it returns, none of them completes, later messages for k are dropped. Other contexts, also to the same peers, are not disturbed |
/// | t.tell(n)         | hands a notice to the coordinator; never blocks |
/// | t.fetch(n)        | takes the next notice from the coordinator; false if there is none; never blocks |
/// | t.broken(peer)    | why the data channel to `peer` does not work any more (all that had arrived was delivered first); empty while it works or was never needed |
/// | c.name_of(peer)   | host and address of a rank, for errors |
/// | ~T                | tells the coordinator that this rank has `left`. Data of completed sends get a second to arrive; a lingering_transport gives them longer |
///
/// A transport whose receivers read every message where its sender has it says so by T::reads_in_place.
///
/// A transport may also have t.shortage(peer): the resource (descriptors, memory) that this rank lacks to reach the peer, its limit
/// and the remedy, in a sentence that begins with "it". Empty while nothing is lacking. A shortage ends the waiting calls
/// on all ranks, and the error names this rank. t.blamed_by(peer) is the
/// culprit that the peer's calls fail by, as it has said over its data channel. A peer that leaves for that reason is not
/// blamed itself where the coordinator is lost. With t.status_page() the engine writes there what the rank does, for other
/// processes to read (status_page.hpp); null where it shall not. t.require_own() throws invalid_argument in a child of the
/// process that made the transport: no communicator is made of it there.
///
/// A peer's death never blocks, throws or crashes any of these: it shows in broken() and in fetch().
// clang-format on
template <class T>
concept transport = requires(T t, const T c, typename T::channel& h, transfer& x, context k, int peer, notice n,
                             const notice told, clock::time_point until) {
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
    { t.tell(told) } -> std::same_as<void>;
    { t.fetch(n) } -> std::same_as<bool>;
    { t.broken(peer) } -> std::same_as<std::optional<std::string>>;
    { c.name_of(peer) } -> std::same_as<peer_name>;
};

// clang-format off
/// A transport with a clock of its own, by which its waits and all deadlines count. It is driven by its ranks' own calls
/// alone: a communicator over it has progress::in_calls.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | c.now()           | the time by that clock |
/// | t.wait(until)     | takes some of it, so that a rank which looks again and again gets on. News from the coordinator end it |
// clang-format on
template <class T>
concept timed_transport = transport<T> && requires(const T c) {
    { c.now() } -> std::same_as<clock::time_point>;
};

/// Bytes of completed sends that `peer` has not received when this rank leaves.
struct untaken {
    int peer;          ///< the rank that lacks them
    std::size_t bytes; ///< how many
};

// clang-format off
/// A transport whose completed sends may still be on their way.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | t.leave(until)    | called once, last before ~T. Tells the coordinator `leaving`, and starts nothing any more. Waits until the peers that are still there have received all, or until `until`. Returns what they have not received |
// clang-format on
template <class T>
concept lingering_transport = transport<T> && requires(T t, clock::time_point until) {
    { t.leave(until) } -> std::same_as<std::vector<untaken>>;
};

// clang-format off
/// A transport that an event loop of the program's can wait for in the stead of t.wait().
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | t.descriptor()    | the same from the first call on: poll(2) and epoll(7) take it for reading; -1: there is none. Throws std::system_error. Before it, none of these does anything |
/// | t.arm()           | true: progress() or fetch() may have something to do after all. Else the descriptor can be read when that is so, and after wake(), until t.disarm() |
/// | c.due()           | after arm(): when progress() or fetch() is wanted though nothing came |
/// | t.disarm(to_step) | after each arm(), before anything else is asked of it. Unless it is to step, the descriptor can be read from now on |
/// | t.call(wanted)    | any thread: the descriptor can be read from now on until disarm(true); or no longer, until it is called or armed again |
// clang-format on
template <class T>
concept awaitable_transport = transport<T> && requires(T t, const T c) {
    { t.descriptor() } -> std::same_as<int>;
    { t.arm() } -> std::same_as<bool>;
    { c.due() } -> std::same_as<clock::time_point>;
    { t.disarm(true) } -> std::same_as<void>;
    { t.call(true) } -> std::same_as<void>;
};

// clang-format off
/// A transport that can lend a received message instead of storing it. A receive with x.may_view and some bytes may complete
/// with x.viewed set and x.to untouched. All other receives are stored.
///
/// | expression        | meaning |
/// |-------------------|---------|
/// | x.viewed          | the message stays where it lies until it is released. Until then its send may stay pending, and no later message of the channel is received |
/// | t.look(h, x)      | the address of the message, readable until t.release(h, x). Until then t is asked for nothing but further looks. Null: the sender has closed the context, and the message is gone |
/// | t.release(h, x)   | called after each look, null or not, when the message has been read. False: the sender has closed the context meanwhile. Then the data that were read are void, and the receive is pending again |
/// | t.answer(h, offset, from, bytes) | optional. x.answer of a send comes with a message that is viewed in memory which this rank can write. Between look and release this writes there what the message of that number, the *answer*, will bring, piece after piece. False: the sender has closed the context. The caller sends the answer with x.is_answer: nothing travels, and a receive with x.is_answer completes with x.to as it is |
/// | t.close(k)        | drops messages that were not looked at. On the sender's side it waits for a reader that is reading, or has its release return false |
// clang-format on
template <class T>
concept viewing_transport = transport<T> && requires(T t, typename T::channel& h, transfer& x) {
    { t.look(h, x) } -> std::same_as<const std::byte*>;
    { t.release(h, x) } -> std::same_as<bool>;
};

} // namespace tutti::transport

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/messages.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tutti {

/// Messages between two ranks. Those from one rank to another with the same tag are received in the order in which they
/// were sent, whatever their lengths; those of other ranks, tags and communicators do not matter to them. Nothing needs
/// to be equal on ranks that have no part in a message.
///
/// A send may return before its receive has started: the library keeps up to 512 KiB of messages of up to 64 KiB for
/// each receiver. No program may rely on it: two ranks that both send first and then receive want sendrecv() or a
/// message_group, which start before they wait.
///
/// Data: a range of elements, or one element. Element types and counts must be equal at both ends. Tags are 0 or more.
/// A rank may send to itself.
/// Errors: as of allreduce; timeout names the rank that has not made its part, mismatch tells both lengths. Data in the
/// memory of a GPU are refused.
/// Cost: up to 4088 bytes one message of the transport, up to 64 KiB two at once. Longer ones are announced and granted
/// first, which costs a round trip, and then go straight from one buffer to the other.
///
/// @snippet reference.cpp messages
template <class Communicator>
class send_receive_operations {
public:
    /// Returns when the data may be changed.
    template <class Data>
    void send(const Data& data, int to, int tag = 0) const {
        blocking<1> one(self());
        one.start(detail::outgoing(self(), data, to, tag));
        one.wait();
    }

    /// Returns when the data are there.
    template <detail::message_target Data>
    void receive(Data&& data, int from, int tag = 0) const {
        blocking<1> one(self());
        one.start(detail::incoming(self(), data, from, tag));
        one.wait();
    }
    /// Receives a message of any number of elements of type T: `auto rows = world.receive<double>(3);`.
    template <class T>
    [[nodiscard]] std::vector<T> receive(int from, int tag = 0) const {
        std::vector<T> all;
        blocking<1> one(self());
        one.start(detail::incoming_of_any_length(self(), all, from, tag));
        one.wait();
        return all;
    }

    /// Sends and receives at once, so that all ranks of a ring may call it: the data go to rank `to`, and those of rank
    /// `from` come in.
    template <class Out, detail::message_target In>
    void sendrecv(const Out& out, int to, In&& in, int from, int tag = 0) const {
        const auto arriving = detail::incoming(self(), in, from, tag);
        const auto leaving = detail::outgoing(self(), out, to, tag);
        blocking<2> both(self());
        both.start(leaving); // first, since the other rank waits for it
        both.start(arriving);
        both.wait();
    }

private:
    template <std::size_t most>
    using blocking = detail::blocking_messages<Communicator, most>;
    [[nodiscard]] const Communicator& self() const noexcept { return static_cast<const Communicator&>(*this); }
};

/// The same, non-blocking: each starts and returns a request. Buffers belong to the library until it is over.
template <class View>
class async_send_receive_operations {
public:
    /// Starts a send. The data belong to the library until the request is over.
    template <class Data>
    [[nodiscard]] auto send(Data&& data, int to, int tag = 0) const {
        detail::check_outlive_message<Data>();
        return detail::access::start(self(), detail::outgoing(self(), data, to, tag));
    }
    /// Starts a receive. The data are there when the request is over.
    template <detail::message_target Data>
    [[nodiscard]] auto receive(Data&& data, int from, int tag = 0) const {
        detail::check_outlive_message<Data>();
        return detail::access::start(self(), detail::incoming(self(), data, from, tag));
    }

private:
    [[nodiscard]] const View& self() const noexcept { return static_cast<const View&>(*this); }
};

} // namespace tutti

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "calls/messages.hpp"
#include "strided.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace tutti {

/// In the place of a rank that is received from, or probed: any rank of the communicator, this one too. Messages that
/// have come are taken from each rank in turn. Cost: the first such receive on a communicator opens channels to all its
/// ranks, some kilobytes each, and connections where there are none; each looks at all of them.
using engine::any_rank;

/// In the place of what is received into: a vector that becomes as long as the message, so that senders may choose. Of
/// a request the vector must outlive it: `world.async().receive(tutti::any_length{rows}, 3)`.
template <class T>
struct any_length {
    static_assert(!std::is_same_v<T, bool>, "tutti: a std::vector<bool> stores bits, which are no elements: receive "
                                            "char");
    static constexpr bool is_read_only = false; ///< it can be received

    std::vector<T>& data; ///< its elements are replaced
};
/// `any_length{rows}` names no type.
template <class T>
any_length(std::vector<T>&) -> any_length<T>;

namespace detail {

/// Puts a vector of any length into the arguments of a message.
template <class T>
void describe_message(message_arguments& a, const any_length<T>& of) {
    check_element<T>();
    if (a.way == engine::message::direction::send) {
        a = arguments_of<T>(a.way, a.peer, a.tag, raw(std::span(of.data)));
        return;
    }
    a = arguments_of<T>(a.way, a.peer, a.tag, {});
    a.allocate_state = &of.data;
    a.allocate = [](void* state, std::size_t bytes) {
        auto& to = *static_cast<std::vector<T>*>(state);
        to = blanks<T>(bytes / sizeof(T));
        return reinterpret_cast<std::byte*>(to.data());
    };
}

} // namespace detail

/// A message that could be received.
struct message_facts {
    int source;        ///< its sender
    std::size_t count; ///< elements
};

/// Messages between two ranks. Those from one rank to another with the same tag are received in the order in which they
/// were sent, whatever their lengths; those of other ranks, tags and communicators do not matter to them. Nothing needs
/// to be equal on ranks that have no part in a message.
///
/// A send may return before its receive has started: the library keeps up to 512 KiB of messages of up to 64 KiB for
/// each receiver. No program may rely on it: two ranks that both send first and then receive want sendrecv() or a
/// message_group, which start before they wait.
///
/// Data: a range of elements, one element, or `strided` ones. Element types and counts must be equal at both ends; the
/// receive of `any_length` takes any count. Tags
/// are 0 or more. A rank may send to itself, and receive from any_rank: of receives that a message would suit, the
/// first to start takes it. Errors: as of allreduce; timeout names the rank that has not made its part, mismatch tells
/// both lengths. Data in the memory of a GPU are refused. Cost: up to 4088 bytes one message of the transport, up to 64
/// KiB two at once. Longer ones are announced and granted first, which costs a round trip, and then go straight from
/// one buffer to the other.
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

    /// Returns when the data are there: the rank that has sent them.
    template <detail::message_target Data>
    int receive(Data&& data, int from, int tag = 0) const {
        return received(detail::incoming(self(), data, from, tag)).source;
    }
    /// Receives a message of any number of elements of type T: `auto rows = world.receive<double>(3);`. Whose it was is
    /// in `*source`, unless that is null.
    template <class T>
    [[nodiscard]] std::vector<T> receive(int from, int tag = 0, int* source = nullptr) const {
        std::vector<T> all;
        const auto facts = received(detail::incoming(self(), any_length{all}, from, tag));
        if (source) *source = facts.source;
        return all;
    }
    /// Returns when a message is there, which the next receive from its sender with this tag takes, and how many
    /// elements of type T its bytes would be: the receive is what looks at the sender's type.
    template <class T>
    [[nodiscard]] message_facts probe(int from, int tag = 0) const {
        check_element<T>();
        auto a = detail::arguments_of<T>(engine::message::direction::receive, from, tag, {});
        a.probes = true;
        detail::check_message(a, self().size());
        return received(a);
    }

    /// Sends and receives at once, so that all ranks of a ring may call it: the data go to rank `to`, and those of rank
    /// `from` come in. Returns that rank.
    template <class Out, detail::message_target In>
    int sendrecv(const Out& out, int to, In&& in, int from, int tag = 0) const {
        const auto arriving = detail::incoming(self(), in, from, tag);
        const auto leaving = detail::outgoing(self(), out, to, tag);
        blocking<2> both(self());
        both.start(leaving); // first, since the other rank waits for it
        both.start(arriving);
        both.wait();
        return both.at(1).source;
    }

private:
    [[nodiscard]] message_facts received(const detail::message_arguments& a) const {
        blocking<1> one(self());
        one.start(a);
        one.wait();
        return {one.at(0).source, one.at(0).bytes / a.element_bytes};
    }
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

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "join/identity.hpp"
#include "join/launchers.hpp"
#include "join/offer.hpp"
#include "sockets/held_ports.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tutti {

namespace detail {

/// A rank that no launcher has started. Throws a bootstrap error.
[[nodiscard]] inline transport::bootstrap::identity identity_of(int rank, int size,
                                                                std::optional<std::chrono::milliseconds> timeout) {
    namespace start = transport::bootstrap;
    if (size < 1 || size > start::detail::most_ranks || rank < 0 || rank >= size)
        start::bootstrap_failed("there is no rank " + std::to_string(rank) + " of " + std::to_string(size));
    start::identity me;
    me.rank = rank;
    me.size = size;
    start::detail::read_settings(me);
    if (!timeout) return me;
    if (*timeout <= timeout->zero() || *timeout > std::chrono::hours(24))
        start::bootstrap_failed("ranks wait for each other for more than nothing, and for a day at most");
    me.timeout = *timeout;
    return me;
}

} // namespace detail

/// Rank 0's address and a secret, as a value that the program itself carries to the other ranks: by a broadcast of MPI,
/// a file, a database. So ranks join without any launcher, over every transport of processes:
///
/// @snippet reference.cpp invitation
///
/// Whoever reads the text can join in a rank's place: carry it as you would carry a password. It is good for one
/// communicator. Its text is ASCII without blanks, quotes and '='.
class invitation {
public:
    /// The longest text.
    static constexpr std::size_t most_characters = transport::bootstrap::offer::most_characters;

    /// Draws a secret, and listens from now on at a port of this host, which is held until as(0, ...) makes a world of
    /// it or the process ends. `host`: an address or name of this host by which the others reach it. By default that is
    /// the address that TUTTI_INTERFACE chooses, else that of the default route, else the first beyond loopback. The
    /// port is one of TUTTI_PORTS, or any. Only this process can be rank 0, not a child made by fork(2) later. Throws a
    /// bootstrap error. Costs one file descriptor.
    [[nodiscard]] static invitation create(const std::string& host = {}) {
        namespace start = transport::bootstrap;
        start::identity me;
        start::detail::read_settings(me);
        start::offer made;
        made.key = start::drawn_key();
        made.where = start::detail::hold_port(host.empty() ? start::detail::offered_address(me.interface)
                                                           : start::detail::own_address_of(host),
                                              me.ports);
        return invitation(made.text());
    }

    /// A text to carry where create() has thrown: it makes every other rank's constructor throw with that reason, so
    /// that no rank waits.
    [[nodiscard]] static std::string refusal(std::string_view why) { return transport::bootstrap::offer::refusal(why); }

    /// What text() of another process gave. Throws a bootstrap error where it is something else, which is not quoted,
    /// or a refusal().
    explicit invitation(std::string_view text) : text_(text) {
        static_cast<void>(transport::bootstrap::offer::parse(text_, "the invitation"));
    }

    /// To carry to the other ranks; most_characters at most, so that 128 bytes hold it with a zero at the end.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// The same invitation for ranks that know a secret of the program's own as well, of 16 bytes at least: who reads
    /// the text alone cannot join. All ranks add the same secret. Throws a bootstrap error for a shorter one.
    [[nodiscard]] invitation with_secret(std::string_view own) const {
        if (own.empty()) transport::bootstrap::secret::refuse_short("the secret beside the invitation's", 0);
        invitation both = *this;
        both.own_ = transport::bootstrap::secret(own);
        return both;
    }

    /// Who this process is in the world, for the constructor of a transport, which then waits for all ranks. Each rank
    /// from 0 to size - 1 is one process, with the same size. TUTTI_HOST, TUTTI_INTERFACE, TUTTI_PORTS, TUTTI_ENCRYPT
    /// and TUTTI_BOOTSTRAP_TIMEOUT count as under a launcher; its variables, TUTTI_ADDRESS and TUTTI_SECRET do not.
    /// `timeout`, up to a day, is how long the ranks wait for each other, in place of the variable. Members of the
    /// result may be set: `group` and `global_rank` are told in errors. Throws a bootstrap error, on rank 0 also where
    /// this process does not hold the invitation's port.
    [[nodiscard]] transport::bootstrap::identity as(int rank, int size,
                                                    std::optional<std::chrono::milliseconds> timeout = {}) const {
        namespace start = transport::bootstrap;
        start::identity me = detail::identity_of(rank, size, timeout);
        start::offer from = start::offer::parse(text_, "the invitation");
        if (own_.configured()) from.key = start::in_digits(own_.derive("tutti invitation " + from.key));
        start::accept(me, from);
        if (rank == 0 && !start::held_ports::list().holds(me.rendezvous))
            start::bootstrap_failed(
                "this process does not hold the port of the invitation, " + me.rendezvous.text(),
                "rank 0 must be the process that called invitation::create(), once for each communicator");
        return me;
    }

private:
    std::string text_;
    transport::bootstrap::secret own_;
};

/// A store that all processes of a job reach, such as that of torchrun, etcd or Redis.
struct key_value_exchange {
    /// Stores a value of up to invitation::most_characters.
    std::function<void(const std::string& key, const std::string& value)> put;
    /// Waits for the value of a key, until then; throws a std::exception where none comes.
    std::function<std::string(const std::string& key, std::chrono::steady_clock::time_point until)> get;
};

/// Who this process is in a world whose ranks find each other through a store, for the constructor of a transport.
/// Rank 0 puts its invitation, or why it has none, under `key`, which no other world of the store may use; the others
/// get it. Preconditions and `timeout` as of invitation::as(). Who reads the store can join, unless all ranks set the
/// same secret as the result's `key`. The constructor throws a bootstrap error for what put and get throw.
///
/// @snippet reference.cpp join_through
[[nodiscard]] inline transport::bootstrap::identity
join_through(key_value_exchange store, std::string key, int rank, int size,
             std::optional<std::chrono::milliseconds> timeout = {}) {
    transport::bootstrap::identity me;
    try {
        me = detail::identity_of(rank, size, timeout);
    } catch (const error& e) {
        try {
            if (rank == 0 && size > 1) store.put(key, invitation::refusal(e.facts().detail));
        } catch (const std::exception&) { // then they wait
        }
        throw;
    }
    me.exchange = [store = std::move(store), key = std::move(key)](const std::string& offered, auto until) {
        try {
            if (offered.empty()) return store.get(key, until);
            store.put(key, offered);
            return offered;
        } catch (const std::exception& e) {
            transport::bootstrap::bootstrap_failed("the store fails for \"" + key + "\": " + e.what());
        }
    };
    return me;
}

} // namespace tutti

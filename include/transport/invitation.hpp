// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "join/identity.hpp"
#include "join/launchers.hpp"
#include "join/offer.hpp"
#include "sockets/held_ports.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tutti {

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
        made.where = start::detail::hold_port(host.empty() ? start::detail::offered_address(me.interface)
                                                           : start::detail::own_address_of(host),
                                              me.ports);
        made.key = start::drawn_key();
        return invitation(made.text());
    }

    /// What text() of another process gave. Throws a bootstrap error where it is something else; the error does not
    /// quote it.
    explicit invitation(std::string_view text) : text_(text) {
        static_cast<void>(transport::bootstrap::offer::parse(text_, "the invitation"));
    }

    /// To carry to the other ranks; most_characters at most, so that 128 bytes hold it with a zero at the end.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Who this process is in the world, for the constructor of a transport, which then waits for all ranks. Each rank
    /// from 0 to size - 1 is one process, with the same size. TUTTI_HOST, TUTTI_INTERFACE, TUTTI_PORTS, TUTTI_ENCRYPT
    /// and TUTTI_BOOTSTRAP_TIMEOUT count as under a launcher; its variables, TUTTI_ADDRESS and TUTTI_SECRET do not.
    /// Throws a bootstrap error, on rank 0 also where this process does not hold the invitation's port.
    [[nodiscard]] transport::bootstrap::identity as(int rank, int size) const {
        namespace start = transport::bootstrap;
        if (size < 1 || size > start::detail::most_ranks || rank < 0 || rank >= size)
            start::bootstrap_failed("an invitation cannot make rank " + std::to_string(rank) + " of " +
                                    std::to_string(size));
        start::identity me;
        me.rank = rank;
        me.size = size;
        start::detail::read_settings(me);
        start::accept(me, start::offer::parse(text_, "the invitation"));
        if (rank == 0 && !start::held_ports::list().holds(me.rendezvous))
            start::bootstrap_failed(
                "this process does not hold the port of the invitation, " + me.rendezvous.text(),
                "rank 0 must be the process that called invitation::create(), once for each communicator");
        return me;
    }

private:
    std::string text_;
};

} // namespace tutti

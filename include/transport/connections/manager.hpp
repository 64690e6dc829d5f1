// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../sockets/address.hpp"
#include "../sockets/proven_socket.hpp"
#include "../sockets/secret.hpp"
#include "../sockets/socket.hpp"
#include "sleeper.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tutti::transport::detail::connections {

/// A connection that a fabric has waited for, or why it cannot be had.
struct arrival {
    std::uint8_t fabric; ///< its number
    int peer;
    int lane;
    bootstrap::proven_socket connected;
    std::string why; ///< empty if it is connected
};

/// Makes this rank's data connections to others, for all of its fabrics: listens at one port, and dials in the
/// background, by coroutines of the sleeper. Both sides have proven to know the secret before a fabric gets the socket.
/// Of two ranks the lower one dials. Coroutines that still wait when it goes end with the sleeper, which looks no more.
class manager {
public:
    static constexpr std::uint16_t max_lanes = 16;

    /// Listens at a port of that address: of the range, if there is one. Throws a bootstrap error.
    manager(const bootstrap::address& where, bootstrap::port_range ports);
    ~manager();
    manager(const manager&) = delete;
    manager& operator=(const manager&) = delete;

    /// Before join().
    [[nodiscard]] std::uint16_t port() const { return bootstrap::local_address(listening_.get()).port(); }

    /// To be called once, before anything below.
    void join(sleeper& in, int rank, const bootstrap::secret& key, const bootstrap::world_table& world,
              std::uint8_t fabrics);

    /// A fabric wants a lane to a peer: it is dialled, or will be by the peer.
    void connect(std::uint8_t fabric, int peer, int lane);
    /// A connection is on its way, in or out, and not for long: meanwhile there is little else to do, and the peer
    /// waits too.
    [[nodiscard]] bool opening() const noexcept { return opening_; }
    /// `awaits`: a fabric still waits for peers to dial.
    void settle(bool awaits) noexcept;

    /// The next connection that is made, or given up.
    [[nodiscard]] std::optional<arrival> next();

    /// The resource that this process lacks to connect to a peer, with the limit and the remedy; empty while it
    /// lacks nothing. `awaits`: a fabric waits for peers to dial.
    [[nodiscard]] std::optional<std::string> shortage(int peer, bool awaits) const;

private:
    struct connecting;

    bootstrap::descriptor listening_; // until join()
    std::unique_ptr<connecting> all_;
    bool opening_ = false;
    clock::time_point last_{}; ///< when one was wanted, or came, last
};

} // namespace tutti::transport::detail::connections

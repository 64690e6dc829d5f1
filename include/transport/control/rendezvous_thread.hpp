// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/address.hpp"
#include "../sockets/secret.hpp"
#include "../sockets/socket.hpp"

#include <chrono>
#include <memory>
#include <vector>

namespace tutti::transport::bootstrap {

class shared_listener;

/// Where all ranks meet and where the coordinator is kept: run by rank 0 in one thread of its own, which is on no data
/// path. Rank 0 itself talks to it like any other rank, over a connection of its own.
///
/// Destroying it does not leave the others without a control plane at once: it goes on serving until every rank has
/// left, is lost, or was waited for in vain: for `linger`, and for as long as ranks that are leaving by then stay. Rank
/// 0 says `left` on its own connection before.
class rendezvous_thread {
public:
    struct settings {
        std::chrono::milliseconds timeout{60'000}; ///< for all ranks to come
        std::chrono::milliseconds linger{2'000};
        std::chrono::milliseconds stranger_time{5'000}; ///< for the proof, and again for the request to join
        /// When the user is told for the first time which ranks are missing. Then again when the wait has doubled.
        std::chrono::milliseconds first_word{5'000};
        bool any_port = false;  ///< allow port 0: the system picks one, see bound()
        bool encrypted = false; ///< rank 0 encrypts its data; the others must too, or all do not
    };
    using listeners = std::vector<std::shared_ptr<shared_listener>>;

    /// Listens at all of `where`. Of several addresses those that this host does not have are passed over: a name
    /// may mean more than the host was given. Throws a bootstrap error if it cannot.
    [[nodiscard]] static listeners listen(const std::vector<address>& where, bool any_port);

    /// Listens at all of `where`, and starts the thread.
    rendezvous_thread(int size, const std::vector<address>& where, const secret& key, const settings& how);
    /// The same with sockets that listen already, none for a world of one rank, and the other end of rank 0's own
    /// connection.
    rendezvous_thread(int size, listeners at, const secret& key, const settings& how, descriptor zero = {});
    ~rendezvous_thread();

    /// The first address that it listens at, with the real port.
    [[nodiscard]] const address& bound() const noexcept { return bound_; }

private:
    struct served;

    address bound_;
    std::unique_ptr<served> served_;
};

} // namespace tutti::transport::bootstrap

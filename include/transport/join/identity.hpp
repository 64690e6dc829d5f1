// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../sockets/address.hpp"
#include "../sockets/secret.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace tutti::transport::bootstrap {

/// This rank's number, and the address of the rendezvous.
struct identity {
    int rank = 0;        ///< this one
    int size = 1;        ///< how many there are
    endpoint rendezvous; ///< where rank 0 listens; unknown while there is an `exchange`
    secret key;          ///< the secret that all ranks know; empty where there is none
    /// Hands rank 0's offer to the others where the launcher has a place for it: rank 0 passes the text, other ranks an
    /// empty one; all get rank 0's. Called once on each rank. Waits until then at most, and throws a bootstrap error.
    std::function<std::string(const std::string& offered, std::chrono::steady_clock::time_point until)> exchange;
    /// The launcher says that all ranks are on this host: with an `exchange` they meet at loopback.
    bool one_host = false;
    /// The name of this rank's host, if not its own. Ranks of one kernel with the same name share a host, others do
    /// not. That tells apart hosts of one name, or pretends several.
    std::string host;
    /// The program's name for the world, at most 63 bytes: told of the rank at fault in errors, of the world by `tutti
    /// ps`, and of the start by the log.
    std::string group;
    int global_rank = -1;  ///< the program's number of this rank, told beside its own; -1: none
    std::string interface; ///< rule for the data port's interface, see choose_interface()
    port_range ports;      ///< of which the data port is one
    bool insecure = false; ///< without a secret: leave loopback nevertheless
    /// Data over TCP are encrypted and authenticated, which needs a secret; equal on all ranks.
    bool encrypt = false;
    std::chrono::milliseconds timeout{60'000}; ///< for all ranks to meet, a day at most

    /// May this rank listen at or connect to addresses beyond loopback?
    [[nodiscard]] bool may_leave_loopback() const { return key.configured() || insecure; }
};

/// The identity of this process, from the environment that its launcher made. docs/launchers.md says what each launcher
/// tells, and which rule holds for address and secret. Under any launcher count TUTTI_ADDRESS (rank 0's host:port,
/// instead of what the launcher says), TUTTI_SECRET or TUTTI_SECRET_FILE, TUTTI_HOST, TUTTI_INTERFACE, TUTTI_PORTS
/// (5000-5063), TUTTI_INSECURE and TUTTI_ENCRYPT (0 or 1), TUTTI_BOOTSTRAP_TIMEOUT (seconds, 60). Nothing is connected
/// to. Throws a bootstrap error that names the variable which is missing or wrong.
[[nodiscard]] identity identity_from_environment();

} // namespace tutti::transport::bootstrap

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/greeting.hpp"
#include "../sockets/socket.hpp"
#include "../sockets/watched_socket.hpp"
#include "frame_stream.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace tutti::transport::bootstrap {

/// A connection to the rendezvous: a stranger until its handshake is done, then one that may ask to join, then a
/// member.
struct rendezvous_connection {
    enum class stage : std::uint8_t { proving, asking, member, gone };

    TUTTI_COLD rendezvous_connection(asio::io_context& in, descriptor socket)
        : stream(std::move(socket)), waits(std::make_shared<watched_socket>(in, stream.get())) {}
    rendezvous_connection(const rendezvous_connection&) = delete;
    rendezvous_connection& operator=(const rendezvous_connection&) = delete;
    ~rendezvous_connection() { leave(); }

    TUTTI_COLD void leave() {
        phase = stage::gone;
        waits->ignore();
        stream.close();
    }

    frame_stream stream;
    std::shared_ptr<watched_socket> waits;
    stage phase = stage::proving;
    hello claims;            ///< its rank and its process; proven, once it has proven that it knows the secret
    bool is_written = false; ///< a coroutine writes what the socket did not take at once
};

} // namespace tutti::transport::bootstrap

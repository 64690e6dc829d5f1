// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/handshake.hpp>
#include <transport/sockets/proven_socket.hpp>

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tutti::test {

/// What has been said between two until neither has more to say.
inline void converse(transport::bootstrap::handshake& one, transport::bootstrap::handshake& other) {
    for (bool moved = true; moved;) {
        moved = false;
        for (auto [from, to] : {std::pair{&one, &other}, std::pair{&other, &one}}) {
            const std::vector<std::byte> said(from->outgoing().begin(), from->outgoing().end());
            from->sent(said.size());
            to->feed(said);
            if (to->knocks()) to->let_in();
            moved |= !said.empty();
        }
    }
}

/// Both ends of a connection within this process, each proven to the other.
[[nodiscard]] inline std::array<transport::bootstrap::proven_socket, 2> proven_pair() {
    using namespace transport::bootstrap;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::runtime_error("there is no socket");
    auto one = handshake::connecting({}, {purpose::control, 0, 1, 0, 2, 0});
    auto other = handshake::accepting({}, {});
    converse(one, other);
    if (!one.accepted() || !other.accepted()) throw std::runtime_error("they do not accept each other");
    return {proven_socket{descriptor(ends[0]), one.release()}, proven_socket{descriptor(ends[1]), other.release()}};
}

} // namespace tutti::test

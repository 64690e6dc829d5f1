// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../sockets/socket.hpp"
#include "place.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace tutti::transport::status {

/// The address of rank 0's socket for `tutti ps`: /dev/shm/tutti-UID/WORLD-socket.
TUTTI_COLD [[nodiscard]] inline sockaddr_un desk_address(std::uint64_t world) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    const std::string path = place::path() + "/" + world_in_words(world) + desk_suffix;
    std::memcpy(at.sun_path, path.data(), std::min(path.size(), sizeof at.sun_path - 1));
    return at;
}

/// Where processes of this user on this host ask rank 0 what all ranks do. Who connects asks; the answer is one report,
/// then the connection ends.
class desk {
public:
    /// Listens, unless pages are switched off or there is no place for them.
    TUTTI_COLD explicit desk(std::uint64_t world) : world_(world) {
        if (is_switched_off() || !place::open(true)) return;
        auto fd = bootstrap::descriptor::unshared(
            [] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
        const auto at = desk_address(world);
        if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return;
        listener_ = std::move(fd);
        if (::listen(listener_.get(), backlog) != 0) close();
    }
    desk(const desk&) = delete;
    desk& operator=(const desk&) = delete;
    TUTTI_COLD ~desk() { close(); }

    /// -1 where it does not listen.
    [[nodiscard]] int get() const noexcept { return listener_.get(); }
    /// The next client, without waiting for one; empty if there is none.
    TUTTI_COLD [[nodiscard]] bootstrap::descriptor accept() const {
        for (;;) {
            auto client = bootstrap::accept_from(listener_.get());
            if (!client || is_of_this_user(client.get())) return client;
        }
    }

private:
    static constexpr int backlog = 8;
    /// The folder's mode says so already; this holds even where somebody has changed it.
    [[nodiscard]] static bool is_of_this_user(int socket) noexcept {
        ucred peer{};
        socklen_t length = sizeof peer;
        if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
        return peer.uid == ::geteuid() || peer.uid == 0;
    }
    TUTTI_COLD void close() noexcept {
        if (listener_) ::unlink(desk_address(world_).sun_path);
        listener_.reset();
    }

    std::uint64_t world_;
    bootstrap::descriptor listener_;
};

} // namespace tutti::transport::status

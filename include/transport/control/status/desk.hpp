// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../../contract/transport.hpp"
#include "../../sockets/socket.hpp"
#include "place.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
/// then the connection ends. Never waits. One thread; the world's rendezvous.
class desk {
public:
    static constexpr std::size_t most_clients = 8; ///< at once; further ones are turned away
    static constexpr std::chrono::seconds longest_visit{2};

    /// Listens, unless pages are switched off or there is no place for them.
    TUTTI_COLD explicit desk(std::uint64_t world) : world_(world) {
        if (is_switched_off() || !place::open(true)) return;
        auto fd = bootstrap::descriptor::unshared(
            [] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
        const auto at = desk_address(world);
        if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return;
        listener_ = std::move(fd);
        if (::listen(listener_.get(), static_cast<int>(most_clients)) != 0) close();
    }
    desk(const desk&) = delete;
    desk& operator=(const desk&) = delete;
    TUTTI_COLD ~desk() { close(); }

    /// Adds what is to be polled. A client that waits says nothing: it is readable when it is gone.
    void watch(std::vector<pollfd>& all) const {
        if (listener_) all.push_back({listener_.get(), POLLIN, 0});
        for (const client& c : clients_)
            all.push_back({c.socket.get(), static_cast<short>(c.answer.empty() ? POLLIN : POLLOUT), 0});
    }
    /// Takes new clients, and writes answers on. True: somebody has come who waits for a report.
    TUTTI_COLD [[nodiscard]] bool attend(clock::time_point now) {
        bool came = false;
        while (listener_) {
            auto fd = bootstrap::descriptor::unshared(
                [this] { return ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); });
            if (!fd) break;
            if (clients_.size() >= most_clients || !is_of_this_user(fd.get())) continue;
            clients_.push_back({std::move(fd), {}, 0, now + longest_visit});
            came = true;
        }
        std::erase_if(clients_, [&](client& c) { return c.until <= now || is_served(c); });
        return came;
    }
    /// Gives the report to all that wait for one.
    void answer(const std::vector<std::byte>& report) {
        for (client& c : clients_)
            if (c.answer.empty()) c.answer = report;
    }
    [[nodiscard]] clock::time_point next() const {
        auto soonest = clock::time_point::max();
        for (const client& c : clients_) soonest = std::min(soonest, c.until);
        return soonest;
    }

private:
    struct client {
        bootstrap::descriptor socket;
        std::vector<std::byte> answer; ///< empty: there is none yet
        std::size_t written = 0;
        clock::time_point until;
    };

    /// The folder's mode says so already; this holds even where somebody has changed it.
    [[nodiscard]] static bool is_of_this_user(int socket) noexcept {
        ucred peer{};
        socklen_t length = sizeof peer;
        if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
        return peer.uid == ::geteuid() || peer.uid == 0;
    }
    [[nodiscard]] static bool is_gone(int socket) noexcept {
        char nothing = 0;
        const auto n = ::recv(socket, &nothing, 1, MSG_PEEK | MSG_DONTWAIT);
        return n >= 0 || (errno != EAGAIN && errno != EINTR); // one that talks is none of ours
    }
    /// The client has all, or is gone.
    [[nodiscard]] static bool is_served(client& c) {
        if (c.answer.empty()) return is_gone(c.socket.get());
        const auto rest = std::span(c.answer).subspan(c.written);
        const auto n = ::send(c.socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) return errno != EAGAIN && errno != EINTR;
        c.written += static_cast<std::size_t>(n);
        return c.written == c.answer.size();
    }
    void close() noexcept {
        if (!listener_) return;
        if (made_by_ == ::getpid()) ::unlink(desk_address(world_).sun_path);
        listener_.reset();
    }

    std::uint64_t world_;
    bootstrap::descriptor listener_;
    std::vector<client> clients_;
    ::pid_t made_by_ = ::getpid();
};

} // namespace tutti::transport::status

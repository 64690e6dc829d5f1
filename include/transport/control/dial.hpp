// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../join/identity.hpp"
#include "../sockets/handshake.hpp"
#include "../sockets/jitter.hpp"
#include "../sockets/proven_socket.hpp"
#include "../sockets/socket.hpp"
#include "../sockets/wait_ready.hpp"
#include "../sockets/watched_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

namespace tutti::transport::bootstrap {

namespace detail {

using moment = std::chrono::steady_clock::time_point;

inline std::string seconds_in_words(std::chrono::milliseconds t) {
    return std::to_string(t.count() / 1000) + "." + std::to_string(t.count() / 100 % 10) + " s";
}

/// Connects until then. 0, or an error of the system.
TUTTI_COLD inline int connect_by(moment until, int socket, const address& where) {
    int code = ::connect(socket, where.data(), where.length()) == 0 ? 0 : errno;
    if (code == EINPROGRESS) {
        if (!wait_ready(socket, POLLOUT, until)) return ETIMEDOUT;
        socklen_t length = sizeof code;
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length);
    }
    // A loopback port without a listener may have been connected to itself.
    return code == 0 && local_address(socket) == remote_address(socket) ? ECONNREFUSED : code;
}

/// Goes through a handshake, for five seconds at most. Why nothing came of it; empty if it is accepted.
TUTTI_COLD inline std::string prove(int socket, handshake& h, moment until) {
    until = std::min(until, std::chrono::steady_clock::now() + std::chrono::seconds(5));
    std::string why;
    for (auto waits = shake(socket, h, why); waits != shaking::over; waits = shake(socket, h, why)) {
        if (waits == shaking::knocks) // the side that was connected to
            h.let_in();
        else if (!wait_ready(socket, waits == shaking::reads ? POLLIN : POLLOUT, until))
            return "it accepts connections but does not answer";
    }
    return why.empty() || h.refused() ? why : "the connection broke before it was proven: " + why;
}

/// The handshake of a rank that asks to join.
inline handshake control_handshake(const identity& me) {
    return handshake::connecting(me.key, {purpose::control, 0, me.rank, 0, me.size, process_mark()});
}

} // namespace detail

/// Proves rank 0 to its own rendezvous. Throws a bootstrap error.
[[nodiscard]] inline proven_socket introduce(const identity& me, descriptor own, detail::moment until) {
    auto h = detail::control_handshake(me);
    const auto problem = detail::prove(own.get(), h, until);
    if (!problem.empty()) bootstrap_failed("rank 0 cannot speak to its own rendezvous: " + problem, {}, me.rank);
    return {std::move(own), h.release()};
}

/// How long a rank goes on after a refusal that is not proven itself, "wrong secret" too: another process, or a former
/// run's rendezvous, may hold the port for a moment.
inline constexpr std::chrono::seconds refusal_patience{10};

/// Connects to the rendezvous and proves itself; tries until it works or `until`. It takes no descriptor but that of
/// the connection, by which a rank that lacks others can say so. `where` yields the addresses to try, or a reason why
/// there are none. Throws a bootstrap error when the time is up, when a peer that knows the secret refuses for good, or
/// when others have refused for refusal_patience.
template <class Where>
[[nodiscard]] proven_socket dial(const identity& me, Where where, detail::moment until) {
    using namespace std::chrono_literals;
    const std::string place = "the rendezvous of rank 0 at " + me.rendezvous.text();
    const auto begun = std::chrono::steady_clock::now(), limit = until;
    std::string problem = "nobody answers";
    std::string refusal;
    bool early = false; // its own former self is in the world that is there
    jitter random;
    for (auto pause = 5ms;; pause = std::min(2 * pause, std::chrono::milliseconds(250))) {
        for (const auto& a : where(problem)) {
            auto fd = new_socket(a);
            int code = errno;
            if (fd) code = detail::connect_by(std::min(until, std::chrono::steady_clock::now() + 2s), fd.get(), a);
            if (code != 0) problem = words_of_errno(code);
            if (const auto lack = shortage_in_words(code))
                bootstrap_failed("rank " + std::to_string(me.rank) + " cannot reach " + place + ": " + *lack, {},
                                 me.rank);
            if (code != 0) continue;
            detail::tune_control_socket(fd.get());
            auto h = detail::control_handshake(me);
            problem = detail::prove(fd.get(), h, until);
            if (problem.empty()) return {std::move(fd), h.release()};
            if (h.refused() || std::chrono::steady_clock::now() < until) early = h.too_early();
            if (h.refused()) {
                if (!early) until = std::min(until, std::chrono::steady_clock::now() + refusal_patience);
                refusal = problem; // kept: the end of the time may cut the next attempt short
            }
            if (h.refused_for_good())
                bootstrap_failed("rank " + std::to_string(me.rank) + " was not let in by " + place + ": " + problem,
                                 "give every rank rank 0's address");
        }
        // Random: ranks that were turned away together should not come again together.
        const auto next =
            std::chrono::steady_clock::now() + pause / 2 + pause * static_cast<int>(random.below(512)) / 1024;
        std::this_thread::sleep_until(std::min(next, until)); // all of the time that the error names
        if (next >= until) break;
    }
    if (!refusal.empty() && refusal != problem) problem += "; who answered before: " + refusal;
    const auto waited =
        until == limit ? me.timeout : std::chrono::duration_cast<std::chrono::milliseconds>(until - begun);
    bootstrap_failed("rank " + std::to_string(me.rank) + " could not reach " + place + " within " +
                         detail::seconds_in_words(waited) + ": " + problem,
                     early ? "make as many worlds on all ranks, in the same order"
                           : "look at what rank 0 says; check that it runs and that every rank has the same "
                             "TUTTI_ADDRESS and the same secret",
                     0);
}

} // namespace tutti::transport::bootstrap

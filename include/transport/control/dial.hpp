// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../join/identity.hpp"
#include "../sockets/handshake.hpp"
#include "../sockets/jitter.hpp"
#include "../sockets/socket.hpp"
#include "frame_stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

namespace detail {

using moment = std::chrono::steady_clock::time_point;

inline std::string seconds_in_words(std::chrono::milliseconds t) {
    return std::to_string(t.count() / 1000) + "." + std::to_string(t.count() / 100 % 10) + " s";
}

/// Drives a handshake over a socket until it is decided or the time is up. Returns why nothing came of it, or nothing.
inline std::string prove(int fd, handshake& h, moment until) {
    while (!h.accepted()) {
        if (const auto out = h.outgoing(); !out.empty()) {
            const auto w = write_some(fd, out);
            if (w.ended) return "the connection broke before it was proven";
            h.sent(w.bytes);
            if (w.bytes == 0 && !wait_ready(fd, POLLOUT, until)) return "it does not read";
            continue;
        }
        if (h.refused()) return std::string(h.reason());
        std::array<std::byte, 128> landing;
        const auto r = read_some(fd, std::span(landing).first(std::min(h.wanted(), landing.size())));
        if (r.ended) return "it closed the connection before it was proven";
        h.feed(std::span(landing).first(r.bytes));
        if (r.bytes == 0 && !wait_ready(fd, POLLIN, until)) return "it accepts connections but does not answer";
    }
    return {};
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
    return {std::move(own), h.keys()};
}

/// How long a rank goes on after a refusal that is not proven itself, "wrong secret" too: another process, or a former
/// run's rendezvous, may hold the port for a moment.
inline constexpr std::chrono::seconds refusal_patience{10};

/// Connects to the rendezvous and proves itself; tries until it works or `until`, and blocks. `where` yields the
/// addresses to try, or a reason why there are none. Throws a bootstrap error when the time is up, when a peer that
/// knows the secret refuses for good, or when others have refused for refusal_patience.
TUTTI_COLD [[nodiscard]] inline proven_socket
dial(const identity& me, const std::function<std::vector<address>(std::string&)>& where, detail::moment until) {
    using namespace std::chrono_literals;
    const std::string place = "the rendezvous of rank 0 at " + me.rendezvous.text();
    const auto begun = std::chrono::steady_clock::now();
    std::string problem = "nobody answers";
    std::string refusal;
    bool early = false; // its own former self is in the world that is there
    jitter random;
    for (auto pause = 5ms;; pause = std::min(2 * pause, std::chrono::milliseconds(250))) {
        for (const auto& a : where(problem)) {
            const auto now = std::chrono::steady_clock::now();
            auto fd = connect_to(a, std::min(until, now + 2s));
            const int code = errno;
            if (!fd) problem = words_of_errno(code);
            if (const auto lack = fd ? std::nullopt : shortage_in_words(code))
                bootstrap_failed("rank " + std::to_string(me.rank) + " cannot reach " + place + ": " + *lack, {},
                                 me.rank);
            if (!fd) continue;
            auto h = detail::control_handshake(me);
            problem = detail::prove(fd.get(), h, std::min(until, std::chrono::steady_clock::now() + 5s));
            if (problem.empty()) return {std::move(fd), h.keys()};
            early = h.too_early();
            if (h.refused() && !early) {
                if (refusal.empty()) until = std::min(until, std::chrono::steady_clock::now() + refusal_patience);
                refusal = problem;
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
        refusal.empty() ? me.timeout : std::chrono::duration_cast<std::chrono::milliseconds>(until - begun);
    bootstrap_failed("rank " + std::to_string(me.rank) + " could not reach " + place + " within " +
                         detail::seconds_in_words(waited) + ": " + problem,
                     early ? "make as many worlds on all ranks, in the same order"
                           : "look at what rank 0 says; check that it runs and that every rank has the same "
                             "TUTTI_ADDRESS and the same secret",
                     0);
}

} // namespace tutti::transport::bootstrap

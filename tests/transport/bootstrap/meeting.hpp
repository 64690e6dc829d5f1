// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "support/connect_to.hpp"
#include "support/has.hpp"
#include "support/secret_of.hpp"

#include <transport/control/control.hpp>
#include <transport/control/rendezvous_thread.hpp>
#include <transport/join/host.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

/// Ranks as threads of a test, around a rendezvous on a free loopback port.
namespace meeting {

using namespace tutti::transport::bootstrap;
using namespace std::chrono_literals;
using tutti::transport::clock;
using tutti::transport::notice;
using tutti::transport::notice_kind;

inline rendezvous_thread::settings quick() {
    rendezvous_thread::settings s;
    s.timeout = 5s;
    s.linger = 2s;
    s.any_port = true;
    return s;
}

inline std::vector<address> loopback(const char* host = "127.0.0.1") { return {*address::literal(host, 0)}; }

using tutti::test::secret_of;

inline identity rank_of(int rank, int size, const rendezvous_thread& place, const char* key = "") {
    identity me;
    me.rank = rank;
    me.size = size;
    me.rendezvous = {place.bound().host(), place.bound().port()};
    me.key = secret_of(key);
    me.timeout = 5s;
    return me;
}

/// What a thread came to: nothing, or the error's text.
using outcome = std::optional<std::string>;

inline outcome attempt(const std::function<void()>& f) {
    try {
        f();
        return std::nullopt;
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// Runs f(rank) for ranks first..last-1 in a thread each; the errors by rank, counted from `first`.
inline std::vector<outcome> in_threads(int first, int last, const std::function<void(int)>& f) {
    std::vector<outcome> outcomes(static_cast<std::size_t>(last - first));
    std::vector<std::thread> threads;
    for (int r = first; r < last; ++r)
        threads.emplace_back([&, r] { outcomes[static_cast<std::size_t>(r - first)] = attempt([&] { f(r); }); });
    for (auto& t : threads) t.join();
    return outcomes;
}

inline member at_port(int port) {
    member m = this_process();
    m.address = "127.0.0.1";
    m.port = static_cast<std::uint16_t>(port);
    return m;
}

/// Waits for a notice of that kind, passing over others.
inline std::optional<notice> await(control& c, notice_kind k, std::chrono::milliseconds patience = 3s) {
    const auto end = clock::now() + patience;
    notice n;
    while (clock::now() < end) {
        while (c.fetch(n))
            if (n.kind == k) return n;
        if (c.gone())
            std::this_thread::sleep_for(5ms);
        else
            wait_ready(c.descriptor(), POLLIN, std::min(end, clock::now() + 20ms));
    }
    return std::nullopt;
}

/// Two or more joined ranks in one thread: the joins run in threads, the connections are handed back.
inline std::vector<std::unique_ptr<control>> join_all(int first, int last, int size, const rendezvous_thread& place,
                                                      const char* key = "") {
    std::vector<std::unique_ptr<control>> out(static_cast<std::size_t>(last));
    in_threads(first, last, [&](int r) {
        auto c = std::make_unique<control>(rank_of(r, size, place, key));
        c->join(at_port(1000 + r));
        out[static_cast<std::size_t>(r)] = std::move(c);
    });
    return out;
}

/// Says that this rank of that many listens at a port.
inline void ask_to_join(frame_stream& s, int rank, int size) {
    member m = at_port(1);
    m.rank = rank;
    m.size = size;
    std::vector<std::byte> body;
    tutti::detail::byte_writer w(body);
    write_member(w, m);
    w.integer(std::uint32_t{5000});
    w.integer(std::uint8_t{0});
    s.send(frame_type::join, body);
}

/// A rank's connection to the first of those addresses where it is let in.
inline proven_socket dialled(const identity& me, const std::vector<address>& where) {
    return dial(
        me, [&](std::string&) { return where; }, clock::now() + me.timeout);
}

/// A rank that joins and then does what a test wants, never saying farewell.
inline frame_stream bare_member(int rank, int size, const rendezvous_thread& place) {
    frame_stream s(dialled(rank_of(rank, size, place), {place.bound()}));
    ask_to_join(s, rank, size);
    return s;
}

using tutti::test::has;

} // namespace meeting

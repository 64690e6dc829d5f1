// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/handshake.hpp"
#include "../sockets/socket.hpp"
#include "frame_stream.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace tutti::transport::bootstrap {

/// A connection to the rendezvous: a stranger until its handshake is done, then one that may
/// ask to join, then a member.
class rendezvous_connection {
public:
    enum class stage : std::uint8_t { proving, asking, member, gone };
    static constexpr std::chrono::seconds timeout{5}; ///< for the proof, and again for the request to join

    /// `too_early`: see hello_rules.
    TUTTI_COLD rendezvous_connection(descriptor socket, const secret& s, std::function<bool(const hello&)> too_early,
                                     std::chrono::steady_clock::time_point now)
        : stream_(std::move(socket)), proof_(handshake::accepting(s, hello_rules{.too_early = std::move(too_early)})),
          deadline_(now + timeout) {}

    /// Moves the handshake as far as it goes without waiting. Reads no byte behind it.
    TUTTI_COLD void prove(std::chrono::steady_clock::time_point now) {
        for (bool moved = true; moved && phase_ == stage::proving;) {
            moved = read_proof();
            moved = write_proof() || moved;
            if (proof_.refused()) leave();
            if (!proof_.accepted()) continue;
            stream_.protect(proof_.keys());
            phase_ = stage::asking;
            deadline_ = now + timeout;
        }
    }

    /// The connection was seated as `rank`.
    void become_member(int rank) {
        phase_ = stage::member;
        rank_ = rank;
        deadline_ = std::chrono::steady_clock::time_point::max();
    }

    void leave() { phase_ = stage::gone; }

    [[nodiscard]] bool wants_write() const {
        return phase_ == stage::proving ? !proof_.outgoing().empty() : stream_.wants_write();
    }
    [[nodiscard]] stage phase() const noexcept { return phase_; }
    [[nodiscard]] bool stranger() const noexcept { return phase_ == stage::proving || phase_ == stage::asking; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    /// The rank that it claimed when it proved that it knows the secret.
    [[nodiscard]] int claimed_rank() const noexcept { return proof_.theirs().rank; }
    /// And the process that it said it was.
    [[nodiscard]] std::uint64_t process() const noexcept { return proof_.theirs().world; }
    /// It was refused for its secret. Then anyone may have claimed that rank.
    [[nodiscard]] bool wrong_secret() const noexcept { return proof_.wrong_secret(); }
    [[nodiscard]] std::chrono::steady_clock::time_point deadline() const noexcept { return deadline_; }
    [[nodiscard]] frame_stream& stream() noexcept { return stream_; }
    [[nodiscard]] int get() const noexcept { return stream_.get(); }

private:
    bool read_proof() {
        std::array<std::byte, 128> landing;
        const auto n = std::min(proof_.wanted(), landing.size());
        if (n == 0) return false;
        const auto r = read_some(get(), std::span(landing).first(n));
        if (r.ended) leave();
        proof_.feed(std::span(landing).first(r.bytes));
        return r.bytes > 0;
    }

    bool write_proof() {
        if (proof_.outgoing().empty()) return false;
        const auto r = write_some(get(), proof_.outgoing());
        if (r.ended) leave();
        proof_.sent(r.bytes);
        return r.bytes > 0;
    }

    frame_stream stream_;
    handshake proof_;
    stage phase_ = stage::proving;
    int rank_ = -1;
    std::chrono::steady_clock::time_point deadline_;
};

} // namespace tutti::transport::bootstrap

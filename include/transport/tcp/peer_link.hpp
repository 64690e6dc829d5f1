// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stream.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tutti::transport::detail::tcp {

/// All there is between this rank and one peer: the channels, and the sockets (lanes) that they share.
class peer_link {
public:
    peer_link(int peer, const tcp_limits& limits, const closed_contexts& closed) noexcept
        : board_(peer, limits, closed) {}

    [[nodiscard]] std::list<stream>& lanes() noexcept { return lanes_; }
    [[nodiscard]] channel& open(context k) { return board_.open(k); }

    /// A lane is ready; one that is already there is dropped.
    void add(socket&& s, int lane) {
        if (broken_) return;
        for (const stream& other : lanes_)
            if (other.lane() == lane) return;
        lanes_.emplace_back(std::move(s), lane, board_);
    }

    void send(channel& c, transfer& x) {
        c.out.push(x);
        board_.schedule(c);
        write();
    }
    void receive(channel& c, transfer& x) {
        c.in.post(x);
        board_.schedule(c); // a credit goes with what is sent next, or when progress is made
    }
    void close(context k) {
        channel* const c = board_.find(k);
        if (!c) return;
        for (stream& s : lanes_) s.forget(*c);
        board_.close(*c);
    }

    /// Someone waits for something to move here.
    [[nodiscard]] bool busy() const noexcept {
        return board_.waiting().transfers > 0 || !board_.idle() ||
               std::any_of(lanes_.begin(), lanes_.end(), [](const stream& s) { return s.busy(); });
    }

    /// Hands the lanes what they can take. True if anything moved.
    bool push() { return !board_.idle() && write(); }
    /// Moves what can be moved on all lanes. True if anything did.
    bool pump(std::span<std::byte> landing) {
        bool moved = push();
        for (stream& s : lanes_) moved |= pump(s, landing);
        return moved;
    }
    /// The same for one lane that poll(2) found ready.
    bool pump(stream& s, std::span<std::byte> landing) {
        if (s.ended()) return false;
        bool moved = s.busy() && s.write();
        moved |= s.read(landing);
        if (s.ended() || ending_)
            end(landing);
        else
            moved |= push();
        return moved;
    }

    /// Gives more to lanes that have written all they had: poll(2) is not asked about them. True if anything moved.
    bool go_on() {
        if (board_.idle()) return false;
        bool moved = false;
        for (stream& s : lanes_) moved |= !s.busy() && !s.ended() && s.write();
        return moved;
    }

    /// To be called now and then while something waits: ends lanes whose peer is silent for too long.
    void check(std::span<std::byte> landing) {
        for (stream& s : lanes_) {
            if (s.ended()) continue;
            s.check();
            if (s.ended()) end(landing);
        }
    }

    /// There is no way to the peer, or not the whole of it: the other lanes are ended too, so that the peer knows.
    void fail(const std::string& why) {
        if (!broken_) broken_ = why;
        for (stream& s : lanes_) s.stop(why);
    }
    [[nodiscard]] const std::optional<std::string>& broken() const noexcept { return broken_; }

private:
    bool write() {
        bool moved = false;
        for (stream& s : lanes_) moved |= !s.ended() && s.write();
        return moved;
    }

    /// A lane ended. So do all: at once if one broke, else when nothing more can come on any.
    void end(std::span<std::byte> landing) {
        ending_ = true;
        for (bool moved = true; moved;) {
            moved = false;
            for (stream& s : lanes_) moved |= !s.ended() && s.read(landing);
        }
        const auto broke = [](const stream& s) { return s.ended() && !s.closed(); };
        const auto open = [](const stream& s) { return !s.ended() && !s.paused(); };
        const auto first = std::find_if(lanes_.begin(), lanes_.end(), broke);
        if (first != lanes_.end()) return fail(std::string(first->why()));
        if (std::none_of(lanes_.begin(), lanes_.end(), open)) fail("closed the connection");
    }

    switchboard board_;
    std::list<stream> lanes_;
    bool ending_ = false; // a lane has ended
    std::optional<std::string> broken_;
};

} // namespace tutti::transport::detail::tcp

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stream.hpp"

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tutti::transport::detail::tcp {

/// All there is between this rank and one peer: the channels, and the sockets (lanes) that they share.
class peer_link {
public:
    /// `landing` is memory for a moment.
    peer_link(int peer, const tcp_limits& limits, const closed_contexts& closed, std::span<std::byte> landing) noexcept
        : landing_(landing), board_(peer, limits, closed), all_lanes_(static_cast<std::size_t>(limits.lanes)) {}

    [[nodiscard]] int peer() const noexcept { return board_.peer(); }
    [[nodiscard]] std::list<stream>& lanes() noexcept { return lanes_; }
    [[nodiscard]] channel& open(context k) { return board_.open(k); }

    /// A lane is ready; one that is already there is dropped. With a cipher its data are encrypted.
    void add(socket&& s, int lane, std::unique_ptr<cipher> c = {}) {
        if (broken_) return;
        for (const stream& other : lanes_)
            if (other.lane() == lane) return;
        lanes_.emplace_back(std::move(s), lane, board_, std::move(c));
    }

    void send(channel& c, transfer& x) {
        c.out.push(x);
        board_.schedule_send(c);
        if (!x.followed) write();
    }
    void receive(channel& c, transfer& x) {
        c.in.post(x);
        board_.schedule_receive(c); // a credit goes with the next frame, or when progress is made
    }
    void close(context k) {
        channel* const c = board_.find(k);
        board_.forget_announcement(k);
        if (!c) return;
        for (stream& s : lanes_) s.forget(*c);
        board_.close(*c);
    }

    /// Someone waits for something to move here.
    [[nodiscard]] bool busy() const noexcept {
        return board_.waiting().transfers > 0 || !board_.idle() ||
               std::any_of(lanes_.begin(), lanes_.end(), [](const stream& s) { return s.busy(); });
    }

    /// Hands the lanes as many frames as they can take. True if any byte moved.
    bool push() { return !board_.idle() && write(); }
    /// Moves all data that can move on all lanes. True if any byte moved.
    bool pump() {
        bool moved = push();
        for (stream& s : lanes_) moved |= pump(s);
        return resume() || moved;
    }
    /// The same for one lane that is ready, and for those that had to wait for its data.
    bool pump(int lane) {
        bool moved = false;
        for (stream& s : lanes_) moved |= s.lane() == lane && pump(s);
        return resume() || moved;
    }

    /// To be called now and then while something waits: ends lanes whose peer is silent for too long.
    void examine() {
        for (stream& s : lanes_) {
            if (s.ended()) continue;
            s.examine();
            if (s.ended()) end();
        }
    }

    /// There is no way to the peer, or not the whole of it: the other lanes are ended too, so that the peer knows.
    void fail(const std::string& why) {
        if (!broken_) broken_ = why;
        board_.end();
        for (stream& s : lanes_) s.stop(why);
    }
    [[nodiscard]] const std::optional<std::string>& broken() const noexcept { return broken_; }

    /// As the multiplexer has them.
    /// @{
    void blame(const culprit& by) {
        board_.blame(by);
        push();
    }
    [[nodiscard]] const culprit& blamed() const noexcept { return board_.blamed(); }
    /// @}

    bool listed = false; ///< among its rank's busy links

private:
    /// Goes on with paused lanes until each waits for data that have not come. No other call would try them again.
    bool resume() {
        bool moved = false;
        for (bool more = lanes_.size() > 1; more; moved |= more) {
            more = false;
            for (stream& s : lanes_) more |= s.paused() && take(s);
        }
        if (moved) push();
        return moved;
    }
    bool pump(stream& s) {
        if (s.ended()) return false;
        bool moved = s.busy() && s.write();
        moved |= take(s);
        return (!ending_ && push()) || moved;
    }
    /// Receives the data that have come on a lane. True if there were any.
    bool take(stream& s) {
        if (s.ended()) return false;
        const bool moved = s.read(landing_);
        if (s.ended() || ending_) end();
        return moved;
    }

    bool write() {
        bool moved = false;
        for (stream& s : lanes_) moved |= !s.ended() && s.write();
        return moved;
    }

    /// A lane ended. So do all: at once if one broke, else when nothing more can come on any.
    void end() {
        ending_ = true;
        for (bool moved = true; moved;) {
            moved = false;
            for (stream& s : lanes_) moved |= !s.ended() && s.read(landing_);
        }
        const auto broke = [](const stream& s) { return s.ended() && !s.closed(); };
        const auto open = [](const stream& s) { return !s.ended() && !s.paused(); };
        const auto first = std::find_if(lanes_.begin(), lanes_.end(), broke);
        if (first != lanes_.end()) return fail(std::string(first->why()));
        // What the peer sent before it left may be on a lane that is not ready here yet. If that lane never comes, the
        // control plane tells of the peer.
        if (lanes_.size() == all_lanes_ && std::none_of(lanes_.begin(), lanes_.end(), open))
            fail("closed the connection");
    }

    std::span<std::byte> landing_;
    multiplexer board_;
    const std::size_t all_lanes_;
    std::list<stream> lanes_;
    bool ending_ = false; // a lane has ended
    std::optional<std::string> broken_;
};

} // namespace tutti::transport::detail::tcp

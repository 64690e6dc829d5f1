// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "channel.hpp"
#include "closed_contexts.hpp"
#include "options.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>

namespace tutti::transport::detail::tcp {

/// The channels of one peer: finds the one that a frame belongs to, and says which frame goes out next. Knows no
/// socket.
class switchboard {
public:
    /// Channels that only the peer has used; more at a time are not sane.
    static constexpr std::size_t max_unopened = 4096;

    switchboard(int peer, const tcp_limits& limits, const closed_contexts& closed) noexcept
        : peer_(peer), limits_(limits), closed_(closed) {}

    [[nodiscard]] channel& open(context k) {
        channel& c = find_or_make(k);
        if (!c.opened) --unopened_;
        c.opened = true;
        return c;
    }

    /// The channel a frame is for. Null, with `sane` kept: it was closed, throw the frame away.
    [[nodiscard]] channel* route(const frame& f, bool& sane) {
        if (last_ && last_->where == f.where) return last_;
        if (closed_.contain(f.where)) return nullptr;
        channel& c = find_or_make(f.where);
        sane = unopened_ <= max_unopened;
        return last_ = &c;
    }

    /// Forgets a channel; its address and its transfers are not touched again.
    void close(channel& c) {
        c.in.abandon();
        c.out.abandon();
        data_.remove(c);
        credit_.remove(c);
        urgent_ = urgent_ && credit_.front();
        if (last_ == &c) last_ = nullptr;
        if (!c.opened) --unopened_;
        channels_.erase(c.where);
    }
    [[nodiscard]] channel* find(context k) {
        const auto found = channels_.find(k);
        return found == channels_.end() ? nullptr : &found->second;
    }

    /// To be called when a channel's inbox or outbox has changed.
    void schedule(channel& c) noexcept {
        if (c.in.credits().due()) credit_.push(c);
        if (c.in.credits().urgent()) urgent_ = true;
        if (c.out.ready()) data_.push(c);
    }

    /// The next frame for a lane: credits, if they are urgent or something follows them, then the channels take turns,
    /// a fragment each. Only long messages leave the first lane, so that short ones need not be put in order again.
    [[nodiscard]] std::optional<fragment> next(bool first_lane) noexcept {
        if (first_lane && credit_.front() && (urgent_ || data_.front())) return credit_frame();
        const channel* skipped = nullptr;
        while (channel* c = data_.front()) {
            if (c == skipped) break;
            data_.pop();
            if (!c->out.ready()) continue;
            if (first_lane || c->out.length() >= limits_.stripe_bytes) return data_frame(*c);
            data_.push(*c);
            if (!skipped) skipped = c;
        }
        return std::nullopt;
    }

    /// Nothing can be sent now.
    [[nodiscard]] bool idle() const noexcept { return !data_.front() && !urgent_; }
    /// The receives and sends that wait for the peer.
    [[nodiscard]] const outstanding& waiting() const noexcept { return waiting_; }

private:
    channel& find_or_make(context k) {
        const auto [at, made] = channels_.try_emplace(k, k, peer_, limits_.window_bytes, waiting_);
        if (made) ++unopened_;
        return at->second;
    }

    [[nodiscard]] fragment credit_frame() noexcept {
        channel& c = *credit_.front();
        credit_.pop();
        urgent_ = urgent_ && credit_.front();
        fragment f;
        f.head.kind = frame_kind::credit;
        f.head.where = c.where;
        f.head.length = c.in.credits().tell();
        return f;
    }

    [[nodiscard]] fragment data_frame(channel& c) noexcept {
        fragment f = c.out.next(limits_.fragment_bytes);
        f.head.where = c.where;
        if (c.out.ready()) data_.push(c);
        return f;
    }

    int peer_;
    const tcp_limits& limits_;
    const closed_contexts& closed_;
    std::unordered_map<context, channel, context_hash> channels_;
    channel_queue<&channel::data> data_;
    channel_queue<&channel::credit> credit_;
    channel* last_ = nullptr; // routed to; the next frame is probably for it too
    bool urgent_ = false;     // a credit is that is not to wait for what is sent next
    std::size_t unopened_ = 0;
    outstanding waiting_;
};

} // namespace tutti::transport::detail::tcp

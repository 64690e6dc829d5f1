// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "channel.hpp"
#include "closed_contexts.hpp"
#include "options.hpp"
#include "ring_buffer.hpp"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tutti::transport::detail::tcp {

/// The channels of one peer: finds the one that a frame belongs to, and says which frame goes out next. Knows no
/// socket.
///
/// A rank may use a channel that its peer has not opened. It takes a *place* for that, of which there are
/// tcp_limits::contexts_ahead, and gets it back when the peer opens the channel, or closes it. A rank without a free
/// place announces the channel, and sends when the peer answers with a credit. Its own credits wait until it hears from
/// the peer. An announcement waits for no other channel, so ranks may open channels in any order.
class multiplexer {
public:
    multiplexer(int peer, const tcp_limits& limits, const closed_contexts& closed) noexcept
        : peer_(peer), limits_(limits), closed_(closed), places_(limits.contexts_ahead),
          its_places_(limits.contexts_ahead) {}

    [[nodiscard]] int peer() const noexcept { return peer_; }

    [[nodiscard]] channel& open(context k) {
        channel& c = find_or_make(k);
        if (std::exchange(c.opened, true)) return c;
        if (c.by_peer == channel::usage::placed) free_place();
        if (forget_announcement(k)) answer(c);
        return c;
    }

    /// The channel a frame is for. Null, with `sane` kept: it was closed, throw the frame away.
    [[nodiscard]] channel* route(const frame& f, bool& sane) {
        if (last_ && last_->where == f.where && f.stands != standing::first) return last_;
        return look_up(f, sane);
    }
    /// Takes any other frame. False: a sane peer does not send it.
    [[nodiscard]] bool take(const frame& f) {
        bool sane = true;
        switch (f.kind) {
        case frame_kind::data: break;
        case frame_kind::credit:
            if (channel* const c = route(f, sane)) raise(*c, f.length);
            break;
        case frame_kind::announce: announced(f.where); break;
        case frame_kind::recall: static_cast<void>(forget_announcement(f.where)); break;
        case frame_kind::places: places_.raise(f.length); break;
        case frame_kind::blame: blamed_ = culprit::of(f.length); break;
        }
        return sane;
    }

    /// This rank's calls fail by that rank, or not any more.
    void blame(const culprit& by) noexcept {
        if (is_over_) return;
        blames_ = by;
        owes_blame_ = owes_ = urgent_ = true;
    }
    /// The rank that the peer's calls fail by, as it says.
    [[nodiscard]] const culprit& blamed() const noexcept { return blamed_; }

    /// Forgets a channel; its address and its transfers are not touched again.
    void close(channel& c) {
        const context where = c.where;
        const bool was_announced = c.announced && !c.heard() && !c.announcement.queued && !is_over_;
        give_back_place(c);
        if (c.by_peer == channel::usage::placed && !c.opened) free_place();
        unplaced_ -= c.by_peer == channel::usage::unplaced;
        c.in.abandon();
        c.out.abandon();
        data_.remove(c);
        credit_.remove(c);
        announcements_.remove(c);
        review();
        if (last_ == &c) last_ = nullptr;
        channels_.erase(where);
        if (was_announced) recall(where); // the last: it may allocate
    }
    [[nodiscard]] channel* find(context k) {
        const auto found = channels_.find(k);
        return found == channels_.end() ? nullptr : &found->second;
    }
    /// A channel that was never opened is closed: the peer may wait for it.
    bool forget_announcement(context k) { return !announced_.empty() && announced_.erase(k) > 0; }
    /// The link is dead: announcements are forgotten. Received messages are kept until their channels are opened.
    void end() noexcept {
        is_over_ = true;
        owes_places_ = owes_blame_ = false;
        recalled_ = {};
        while (announcements_.front()) announcements_.pop();
        announced_.clear();
        review();
    }

    /// To be called when a channel's outbox has changed.
    void schedule_send(channel& c) {
        if (c.out.ready())
            data_.push(c);
        else if (!c.heard() && !c.announced && !c.out.empty())
            begin(c);
    }
    /// To be called when its inbox has.
    void schedule_receive(channel& c) noexcept {
        if (!c.in.credits().due() || !(c.heard() || take_place(c))) return;
        credit_.push(c);
        owes_ = true;
        if (c.in.credits().urgent()) urgent_ = true;
    }

    /// The next frame for a lane: what is not data, if it is urgent or something follows it, then the channels take
    /// turns, a fragment each. Only long messages leave the first lane, so that short ones need not be put in order
    /// again.
    [[nodiscard]] std::optional<fragment> next(bool first_lane) noexcept {
        if (first_lane && owes_ && (urgent_ || data_.front())) return bare_frame();
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
        return channels_.try_emplace(k, k, peer_, limits_.window_bytes, waiting_).first->second;
    }

    /// Apart, so that a frame of the channel that the last one was for does not pay for it.
    [[gnu::noinline]] channel* look_up(const frame& f, bool& sane) {
        const bool takes_place = f.stands == standing::first;
        sane = !takes_place || its_places_.arrive(1);
        channel* const c = sane ? known(f) : nullptr;
        if (!c) {
            if (takes_place) free_place();
            return nullptr;
        }
        if (f.stands != standing::open) sane = came_ahead(*c, takes_place);
        if (!c->heard()) hear(*c);
        // The message that takes this place may still be on its way on another lane. It comes here in any case.
        if (c->by_peer != channel::usage::unplaced) last_ = c;
        return c;
    }
    /// A context that was closed is remembered for a while. Later it shows in a frame that is not the first of its
    /// channel, which is not there; but of a channel ahead the first may come later on another lane.
    [[nodiscard]] channel* known(const frame& f) {
        if (closed_.contain(f.where)) return nullptr;
        const bool may_be_new = f.stands == standing::first || (f.stands == standing::ahead && limits_.lanes > 1);
        return may_be_new ? &find_or_make(f.where) : find(f.where);
    }
    /// False if more channels are used ahead than a sane peer does.
    [[nodiscard]] bool came_ahead(channel& c, bool takes_place) noexcept {
        using usage = channel::usage;
        if (c.by_peer == usage::placed) return true;
        unplaced_ -= c.by_peer == usage::unplaced;
        c.by_peer = takes_place ? usage::placed : usage::unplaced;
        unplaced_ += c.by_peer == usage::unplaced;
        if (takes_place && c.opened) free_place();
        return unplaced_ <= limits_.contexts_ahead;
    }

    /// The peer has opened the channel: it needs no place there, and can be told of receives.
    void hear(channel& c) {
        give_back_place(c);
        c.stands = standing::open;
        c.out.credits().raise(limits_.window_bytes);
        schedule_send(c);
        schedule_receive(c);
    }

    void raise(channel& c, std::uint64_t granted) {
        c.out.credits().raise(granted);
        schedule_send(c);
    }

    void announced(context k) {
        if (closed_.contain(k)) return;
        channel* const c = find(k);
        if (c && c->opened) return answer(*c);
        announced_.insert(k);
    }
    void answer(channel& c) {
        if (!c.heard()) hear(c);
        credit_.push(c);
        owes_ = urgent_ = true;
    }

    /// A channel's first send, when the peer may not have opened it yet.
    void begin(channel& c) {
        c.announced = !take_place(c);
        if (c.announced) return announce(c);
        c.out.credits().raise(limits_.window_bytes);
        if (c.out.ready()) data_.push(c);
    }
    [[nodiscard]] bool take_place(channel& c) noexcept {
        if (c.placed || places_.left() == 0) return c.placed;
        places_.spend(1);
        return c.placed = true;
    }
    /// Where nothing has gone out for it.
    void give_back_place(channel& c) noexcept {
        if (c.placed && c.stands == standing::first) places_.take_back(1);
    }
    /// One that the peer has taken.
    void free_place() noexcept {
        its_places_.post(1);
        if (!its_places_.due() || is_over_) return;
        owes_places_ = owes_ = urgent_ = true;
    }

    void announce(channel& c) noexcept {
        if (is_over_) return;
        announcements_.push(c);
        owes_ = urgent_ = true;
    }
    void recall(context k) {
        recalled_.push(k);
        owes_ = urgent_ = true;
    }

    [[nodiscard]] fragment bare_frame() noexcept {
        fragment f;
        if (std::exchange(owes_blame_, false)) {
            f.head.kind = frame_kind::blame;
            f.head.length = blames_.word();
        } else if (std::exchange(owes_places_, false)) {
            f.head.kind = frame_kind::places;
            f.head.length = its_places_.tell();
        } else if (!recalled_.empty()) { // first: the channel may have been opened again
            f.head.kind = frame_kind::recall;
            f.head.where = recalled_.front();
            recalled_.pop();
        } else if (announcements_.front()) {
            f.head.kind = frame_kind::announce;
            f.head.where = announcements_.front()->where;
            announcements_.pop();
        } else {
            channel& c = *credit_.front();
            credit_.pop();
            f.head.kind = frame_kind::credit;
            f.head.where = c.where;
            f.head.length = c.in.credits().tell();
            f.head.stands = stand(c);
        }
        review();
        return f;
    }
    void review() noexcept {
        owes_ = owes_blame_ || owes_places_ || !recalled_.empty() || announcements_.front() || credit_.front();
        urgent_ = urgent_ && owes_;
    }

    /// That of the channel's next frame.
    [[nodiscard]] static standing stand(channel& c) noexcept {
        return std::exchange(c.stands, c.stands == standing::open ? standing::open : standing::ahead);
    }

    [[nodiscard]] fragment data_frame(channel& c) noexcept {
        fragment f = c.out.next(limits_.fragment_bytes);
        f.head.where = c.where;
        f.head.stands = stand(c);
        if (c.out.ready()) data_.push(c);
        return f;
    }

    int peer_;
    const tcp_limits& limits_;
    const closed_contexts& closed_;
    std::unordered_map<context, channel, context_hash> channels_;
    channel_queue<&channel::data> data_;
    channel_queue<&channel::credit> credit_;
    channel* last_ = nullptr;  // routed to; the next frame is probably for it too
    bool owes_ = false;        // there is a frame without data to send
    bool urgent_ = false;      // one that must not wait for the next frame
    bool owes_places_ = false; // it is about places
    bool owes_blame_ = false;  // or about what this rank's calls fail by
    culprit blames_;           // that
    culprit blamed_;           // the same of the peer
    bool is_over_ = false;     // see end()
    allowance places_;         // of this rank at the peer
    grant its_places_;         // of the peer at this rank
    std::size_t unplaced_ = 0; // channels that the peer uses ahead, whose places have not come yet
    channel_queue<&channel::announcement> announcements_;
    ring_buffer<context> recalled_;                       // announcements that are void
    std::unordered_set<context, context_hash> announced_; // by the peer, and not open here
    outstanding waiting_;
};

} // namespace tutti::transport::detail::tcp

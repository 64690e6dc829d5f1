// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/multiplexer.hpp"
#include "channel.hpp"
#include "connection.hpp"
#include "long_receives.hpp"
#include "long_sends.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tutti::transport::detail::verbs {

/// All there is between this rank and one peer. A multiplexer decides what is said of short messages and which channel
/// has its turn; its frames travel as packets. Long messages are announced as short ones, and read by their receiver.
class peer_link {
public:
    peer_link(int peer, resources& all, std::vector<rail_card> cards)
        : all_(all), board_(peer, all.board_limits, all.closed), wire_(all, std::move(cards)), sends_(all),
          receives_(all) {}

    [[nodiscard]] int peer() const noexcept { return board_.peer(); }
    [[nodiscard]] connection& wire() noexcept { return wire_; }
    [[nodiscard]] const std::optional<std::string>& broken() const noexcept { return broken_; }

    [[nodiscard]] channel& open(context k) {
        const auto known = channels_.find(k);
        if (known != channels_.end()) return known->second;
        channel& c = channels_.try_emplace(k, channel{board_.open(k), *this}).first->second;
        push();
        return c;
    }

    void send(channel& c, transfer& x) {
        transfer* short_one = &x;
        if (x.bytes > all_.limits.eager_bytes) short_one = sends_.announce(c.board.where, x);
        if (!short_one) return;
        c.board.out.push(*short_one);
        board_.schedule_send(c.board);
        push();
    }
    void receive(channel& c, transfer& x) {
        const std::uint32_t number = c.receives++;
        if (x.bytes > all_.limits.eager_bytes) {
            c.board.in.post(receives_.expect(c.board.where, number, x));
            begin_heard();
        } else {
            c.board.in.post(x);
            if (const auto ticket = receives_.early_ticket(c.board.where, number)) refuse(*ticket);
        }
        board_.schedule_receive(c.board); // a credit goes with the next frame, or when progress is made
        push();
    }

    /// No memory of that context is touched any more once closing(k) is over.
    void close(context k) {
        if (tcp::channel* const c = board_.find(k)) {
            board_.forget_announcement(k);
            board_.close(*c);
        } else {
            board_.forget_announcement(k);
        }
        channels_.erase(k);
        sends_.close(k, broken_.has_value(), [this](std::uint64_t ticket) { withdrawals_.push_back(ticket); });
        receives_.close(k);
        push();
    }
    /// As the multiplexer has them.
    /// @{
    void blame(const culprit& by) {
        board_.blame(by);
        push();
    }
    [[nodiscard]] const culprit& blamed() const noexcept { return board_.blamed(); }
    /// @}
    [[nodiscard]] bool closing(context k) const noexcept { return sends_.closing(k) || receives_.closing(k); }
    /// This rank's own reads for that context are still under way.
    [[nodiscard]] bool reading(context k) const noexcept { return receives_.closing(k); }
    /// The peer has not answered a withdrawal in time.
    void give_up(context k) {
        if (!sends_.give_up(k)) fail("did not answer for 100 ms when a context was closed of which it may read");
    }

    /// Takes the connected socket to the peer, and begins to talk over it.
    void begin(bootstrap::descriptor&& s) {
        if (!broken_ && wire_.begin(std::move(s))) static_cast<void>(step()); // its end shows at the socket
    }
    /// Handles data from the socket. True if the peer is gone.
    [[nodiscard]] bool step() {
        try {
            auto gone = wire_.step();
            if (gone) gone_ = std::move(gone);
        } catch (const error& e) {
            all_.shortage = "it cannot connect to a peer: " + e.facts().detail;
        }
        push();
        return gone_.has_value();
    }
    /// All that the peer had sent was taken.
    void end() {
        if (gone_) fail(*gone_);
    }

    /// A packet of the peer's.
    void take(std::span<const std::byte> bytes) {
        const auto p = decode(bytes);
        if (!p || !wire_.hear(*p)) return fail("sent what this version does not understand");
        switch (p->kind) {
        case packet_kind::frame:
        case packet_kind::announced:
            if (!take_frame(*p, bytes.subspan(packet_bytes))) fail("sent what this version does not understand");
            break;
        case packet_kind::taken:
        case packet_kind::refused:
        case packet_kind::withdrawn:
            if (!sends_.answered(p->ticket)) fail("sent what this version does not understand");
            break;
        case packet_kind::withdraw:
            receives_.withdraw(p->ticket, [this](packet_kind kind, std::uint64_t ticket) { answer(kind, ticket); });
            break;
        case packet_kind::credits: break;
        }
    }
    /// A request of this rank's has completed on a rail.
    void completed(std::size_t rail, std::uint64_t request, ibv_wc_status status) {
        wire_.pair(rail).completed(request);
        receives_.completed(rail, request, status == IBV_WC_SUCCESS,
                            [this](packet_kind kind, std::uint64_t ticket) { answer(kind, ticket); });
        if (status != IBV_WC_SUCCESS) fail(words_of(status));
    }

    /// Posts all sends and reads that can be. True if one waits for memory that other links share.
    bool advance() {
        if (!wire_.ready()) return false;
        if (!receives_.ask(wire_)) fail("its queue pair takes no reads");
        push();
        return receives_.wants();
    }

    /// The queue pairs have failed, or the peer is gone.
    void fail(std::string why) {
        if (broken_) return;
        broken_ = std::move(why);
        wire_.stop();
        board_.end();
        answers_.clear();
        withdrawals_.clear();
        receives_.end();
        sends_.end();
    }

    /// Bytes that the peer has not acknowledged, or that are yet to go out.
    [[nodiscard]] std::size_t untaken() {
        if (broken_ || !wire_.ready()) return 0;
        push();
        return (answers_.size() + withdrawals_.size()) * packet_bytes + wire_.unacknowledged();
    }

    bool touched = false; ///< something has come that advance() may go on with
    bool hungry = false;  ///< it waits for memory that other links share

private:
    [[nodiscard]] bool take_frame(const packet& p, std::span<const std::byte> payload) {
        if (p.frame.kind != tcp::frame_kind::data) return board_.take(p.frame);
        bool sane = true;
        tcp::channel* const c = board_.route(p.frame, sane);
        if (!c) return sane;
        if (p.kind == packet_kind::announced && !note(*c, p.frame, payload)) return false;
        if (c->in.begin(p.frame) != tcp::inbox::turn::now) return false;
        if (!payload.empty()) c->in.arrive(payload);
        board_.schedule_receive(*c);
        begin_heard();
        return true;
    }
    /// The ticket of an announcement is remembered, in case that it does not match its receive.
    [[nodiscard]] bool note(const tcp::channel& c, const tcp::frame& f, std::span<const std::byte> payload) {
        announcement_image image;
        if (payload.size() != image.size() || f.length != image.size()) return false;
        std::copy(payload.begin(), payload.end(), image.begin());
        const std::uint64_t ticket = decode(image).ticket;
        const auto opened = channels_.find(c.where);
        const std::uint32_t receives = opened == channels_.end() ? 0 : opened->second.receives;
        const bool started = static_cast<std::int32_t>(receives - f.sequence) > 0;
        if (!receives_.announced(c.where, f.sequence, ticket, started)) refuse(ticket);
        return true;
    }
    void begin_heard() {
        receives_.begin_heard([this](std::uint64_t ticket) { refuse(ticket); });
    }
    void refuse(std::uint64_t ticket) {
        receives_.refused(ticket);
        answer(packet_kind::refused, ticket);
    }

    void answer(packet_kind kind, std::uint64_t ticket) {
        if (broken_) return;
        answers_.push_back({kind, ticket});
    }

    void push() {
        bool good = true;
        for (; good && !withdrawals_.empty() && wire_.can_send(true); withdrawals_.pop_front())
            good = send(packet_kind::withdraw, withdrawals_.front());
        while (good && wire_.can_send()) {
            if (!answers_.empty()) {
                good = send(answers_.front().kind, answers_.front().ticket);
                answers_.pop_front();
            } else if (const auto f = board_.next(true)) {
                good = send(*f);
            } else {
                break;
            }
        }
        if (good && wire_.owes()) good = wire_.send_credits();
        if (!good) fail("its queue pair takes no packets");
    }
    [[nodiscard]] bool send(packet_kind kind, std::uint64_t ticket) {
        packet p;
        p.kind = kind;
        p.ticket = ticket;
        return wire_.send(p, {});
    }
    [[nodiscard]] bool send(const tcp::fragment& f) {
        packet p;
        p.frame = f.head;
        transfer* const x = f.message;
        const bool announces = x && sends_.is_mine(*x);
        if (announces) p.kind = packet_kind::announced;
        const bool good = wire_.send(p, {f.payload, f.head.bytes});
        if (!x || !good) return good;
        x->moved += f.head.bytes;
        if (announces)
            long_sends::told(*x); // it lives until the peer has read the announced message
        else if (x->moved == x->bytes)
            complete(*x);
        return true;
    }

    resources& all_;
    tcp::multiplexer board_;
    connection wire_;
    long_sends sends_;
    long_receives receives_;
    std::unordered_map<context, channel, tcp::context_hash> channels_;
    struct reply {
        packet_kind kind;
        std::uint64_t ticket;
    };
    std::deque<reply> answers_;             // about long messages of the peer's
    std::deque<std::uint64_t> withdrawals_; // tickets of this rank's: before all else
    std::optional<std::string> gone_;
    std::optional<std::string> broken_;
};

} // namespace tutti::transport::detail::verbs

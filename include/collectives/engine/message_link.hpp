// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/copy.hpp"
#include "../../transport/contract/any.hpp"
#include "../../transport/contract/status_page.hpp"
#include "message_queues.hpp"
#include "messages_under_way.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace tutti::engine {

/// Whether a message fits the receive that takes it. Else notes how both differ.
[[nodiscard]] inline bool fits(std::uint32_t type, std::size_t bytes, const message& m, messages_under_way& all) {
    if (type == m.type && (m.allocate ? bytes % m.element_bytes == 0 : bytes == m.bytes)) return true;
    all.note({cause::mismatch, m.source,
              in_words(m) + " met a message of " +
                  (type == m.type ? std::to_string(bytes / m.element_bytes) + " elements"
                                  : std::to_string(bytes) + " bytes of another element type")});
    return false;
}

/// Where the data of a message that fits go.
inline void find_memory(message& m, std::size_t bytes) {
    if (m.allocate) m.data = m.allocate(m.allocate_state, bytes);
    m.bytes = bytes;
}
inline void copy_into(message& m, const std::byte* data, std::size_t bytes) {
    find_memory(m, bytes);
    if (bytes > 0) tutti::detail::copy_bytes(m.data, data, bytes);
}

/// Brings the messages of one peer and this rank's receives together, in the order of starts for each tag.
///
/// A short message is one packet. One of up to eager_bytes is a packet and its data, both sent at once. Both need
/// credits of the peer, where they may wait for their receives in memory of the library. Other messages are announced
/// by a packet. Their receives grant them, and then the data go straight to the receive, on a channel of their own. So
/// what nobody receives delays no other message.
///
/// Packets are taken only while a call of the communicator waits: until then they lie in the transport's buffers.
class message_link {
public:
    static constexpr std::size_t eager_bytes = 64 * 1024;
    /// Credits: of the messages that may wait for their receives, with packet_cost for each.
    static constexpr std::uint64_t window = 512 * 1024, packet_cost = 64;

    /// The context of packets and the next slot's, of data, are of this alone. `done` gets the transfers that are
    /// complete.
    message_link(transport::any& t, transport::context packets, int peer, int world_peer, messages_under_way& all,
                 transport::transfer_queue& done)
        : t_(t), where_(packets), peer_(peer), world_peer_(world_peer), all_(all), done_(done),
          packets_(t.open(packets, world_peer)), page_(transport::status::page_of(t)) {
        incoming_.what = part::packet_in;
        incoming_.may_be_shorter = true;
        credit_.what = part::credit_out;
    }
    message_link(const message_link&) = delete;
    message_link& operator=(const message_link&) = delete;
    /// The contexts are closed.
    ~message_link() {
        for (auto* queue : {&unexpected_, &taken_})
            while (unexpected_message* const u = queue->take_any()) delete u;
    }

    /// It could go at once if the peer had told of more credits.
    [[nodiscard]] bool lacks_credits(const message& m) const noexcept {
        return m.bytes <= eager_bytes && credits_ < cost_of(m.bytes);
    }

    void send(message& m) {
        if (m.bytes <= eager_bytes && !lacks_credits(m)) return send_eagerly(m);
        m.number = next_number_++;
        m.parts = 2; // the packet, and the data once they are granted
        m.next = nullptr;
        (last_announced_ ? last_announced_->next : first_announced_) = &m;
        last_announced_ = &m;
        send_packet(m, kind::announce, announcement{m.bytes, m.number});
        listen();
    }

    void receive(message& m) {
        if (take_unexpected(m)) return;
        posted_.push(m);
        listen();
    }
    /// The receive takes, or the probe finds, a message that came before it. False: there is none.
    bool take_unexpected(message& m) {
        unexpected_message* const u = unexpected_.find(m.tag);
        if (!u) return false;
        m.source = peer_;
        if (m.probes) {
            m.bytes = u->bytes;
            all_.complete(m);
        } else {
            take(m, std::unique_ptr<unexpected_message>(unexpected_.take(m.tag)));
        }
        return true;
    }

    /// A receive that no message has met is none any more.
    [[nodiscard]] bool withdraw(const message& m) noexcept { return posted_.remove(m); }

    /// Takes the next packet that comes.
    void listen() {
        if (std::exchange(listens_, true)) return;
        receive(packets_, incoming_, came_.get(), most_packet_bytes);
    }

    /// One of its transfers is complete. True if it takes no packets any more.
    [[nodiscard]] bool completed(message_transfer& x) {
        switch (x.what) {
        case part::of_message: part_done(*static_cast<message*>(x.of)); return false;
        case part::stored: stored(*static_cast<unexpected_message*>(x.of)); return false;
        case part::credit_out: return telling_ = false;
        case part::packet_in: break;
        }
        listens_ = false;
        take_packet();
        const bool waits = !posted_.empty() || first_announced_ || !all_.empty();
        if (waits) listen();
        return !waits;
    }

private:
    using part = message_transfer::part;
    using kind = packet_header::kind;
    using channel = transport::any::channel;

    /// A transfer of a message is complete.
    void part_done(message& m) {
        if (--m.parts > 0) return;
        if (m.cost > 0) owe(m.cost);
        all_.complete(m);
    }

    // Sending.

    void send_eagerly(message& m) {
        credits_ -= cost_of(m.bytes);
        m.parts = m.bytes > most_packet_data ? 2 : 1;
        if (m.parts == 1) return send_packet(m, kind::whole, m.data, m.bytes);
        send_packet(m, kind::eager, announcement{m.bytes, 0});
        send_data(packets_, m);
    }
    void send_packet(message& m, kind what, const announcement& a) { send_packet(m, what, &a, sizeof a); }
    void send_packet(message& m, kind what, const void* data, std::size_t bytes) {
        const packet_header h{m.tag, m.type | static_cast<std::uint32_t>(what)};
        m.head.of = &m;
        m.head.followed = what == kind::eager; // by the data
        const std::size_t all = m.packet.write(h, data, bytes);
        send(packets_, m.head, m.packet.bytes(), all);
    }
    void send_data(channel& by, message& m) {
        m.body.of = &m;
        m.body.is_plain = true;
        send(by, m.body, m.data, m.bytes);
    }
    void granted(std::uint64_t number) {
        for (message *m = first_announced_, *before = nullptr; m; before = m, m = m->next) {
            if (m->number != number) continue;
            (before ? before->next : first_announced_) = m->next;
            if (last_announced_ == m) last_announced_ = before;
            return send_data(bodies(), *m);
        }
        all_.note({cause::mismatch, peer_, "a grant came of a message that this rank has not announced"});
    }

    // Receiving.

    void take_packet() {
        if (incoming_.bytes < sizeof header_)
            return all_.note({cause::mismatch, peer_, "a packet without a header came"});
        std::memcpy(&header_, came_.get(), sizeof header_);
        const std::byte* const data = came_.get() + sizeof header_;
        const std::size_t bytes = incoming_.bytes - sizeof header_;
        if (header_.what() == kind::whole) return take_whole(data, bytes);
        announcement a;
        std::memcpy(&a, data, std::min(bytes, sizeof a));
        switch (header_.what()) {
        case kind::eager: return take_eager(a.bytes);
        case kind::announce: return take_announced(a);
        case kind::grant: return granted(a.number);
        default: credits_ += a.bytes;
        }
    }
    /// The receive that takes the packet's message; null if there is none, or it does not fit.
    [[nodiscard]] message* receiver_of_packet(std::size_t bytes) {
        message* const m = all_.receiver_of(posted_, peer_, header_.tag, bytes);
        return m && fits(header_.type(), bytes, *m, all_) ? m : nullptr;
    }
    [[nodiscard]] unexpected_message& keep(std::size_t bytes) {
        auto u = std::make_unique<unexpected_message>();
        u->tag = header_.tag;
        u->type = header_.type();
        u->bytes = bytes;
        unexpected_.push(*u);
        return *u.release();
    }
    void take_whole(const std::byte* data, std::size_t bytes) {
        if (message* const m = receiver_of_packet(bytes)) return finish(*m, data, bytes);
        if (all_.noted()) return;
        unexpected_message& u = keep(bytes);
        u.data.reset(new std::byte[bytes]);
        if (bytes > 0) tutti::detail::copy_bytes(u.data.get(), data, bytes);
        u.has_arrived = true;
    }
    void take_eager(std::size_t bytes) {
        if (message* const m = receiver_of_packet(bytes)) {
            find_memory(*m, bytes);
            m->cost = cost_of(bytes);
            m->parts = 1;
            return receive_data(packets_, *m);
        }
        if (all_.noted()) return;
        unexpected_message& u = keep(bytes);
        u.data.reset(new std::byte[bytes]);
        u.body.what = part::stored;
        u.body.of = &u;
        receive(packets_, u.body, u.data.get(), bytes);
    }
    void take_announced(const announcement& a) {
        if (message* const m = receiver_of_packet(a.bytes)) return grant(*m, a);
        if (all_.noted()) return;
        unexpected_message& u = keep(a.bytes);
        u.is_announced = true;
        u.number = a.number;
    }
    /// A receive takes a message that came before it.
    void take(message& m, std::unique_ptr<unexpected_message> u) {
        if (!fits(u->type, u->bytes, m, all_)) return;
        if (u->is_announced) return grant(m, {u->bytes, u->number});
        if (u->has_arrived) return finish(m, u->data.get(), u->bytes);
        u->taker = &m;
        taken_.push(*u.release()); // until it has arrived
    }
    /// The data of an unexpected message have come.
    void stored(unexpected_message& u) {
        u.has_arrived = true;
        if (!u.taker) return;
        // Of one tag the first that was taken arrives first.
        const std::unique_ptr<unexpected_message> owned(taken_.take(u.tag));
        finish(*owned->taker, owned->data.get(), owned->bytes);
    }
    /// A receive has the data of its message, which the sender has spent credits on.
    void finish(message& m, const std::byte* data, std::size_t bytes) {
        copy_into(m, data, bytes);
        m.cost = cost_of(bytes);
        m.parts = 1;
        part_done(m);
    }
    /// Both ends start the data of granted messages in the order of the grants.
    void grant(message& m, const announcement& a) {
        find_memory(m, a.bytes);
        m.parts = 2;
        receive_data(bodies(), m);
        send_packet(m, kind::grant, a);
    }
    void receive_data(channel& by, message& m) {
        m.body.of = &m;
        receive(by, m.body, m.data, m.bytes);
    }

    [[nodiscard]] static std::uint64_t cost_of(std::uint64_t bytes) noexcept { return packet_cost + bytes; }
    /// The peer may spend these credits again. It is told of half a window at once.
    void owe(std::uint64_t cost) {
        owed_ += cost;
        if (owed_ < window / 2 || std::exchange(telling_, true)) return;
        const announcement a{std::exchange(owed_, 0), 0};
        const std::size_t all = credit_packet_.write({0, static_cast<std::uint32_t>(kind::credit)}, &a, sizeof a);
        send(packets_, credit_, credit_packet_.bytes(), all);
    }

    // Transfers.

    void send(channel& by, message_transfer& x, const std::byte* data, std::size_t bytes) {
        x.from = data;
        if (page_ && !sent_) sent_ = &page_->row_of(world_peer_);
        if (sent_) sent_->add(1, bytes);
        t_.send(by, prepared(x, bytes));
    }
    void receive(channel& by, message_transfer& x, std::byte* data, std::size_t bytes) {
        x.to = data;
        t_.receive(by, prepared(x, bytes));
    }
    [[nodiscard]] transport::transfer& prepared(message_transfer& x, std::size_t bytes) noexcept {
        x.peer = peer_;
        x.bytes = bytes;
        x.signature = where_.communicator;
        x.status = transport::transfer_status::pending;
        x.owner = &done_;
        x.moved = 0;
        return x;
    }
    [[nodiscard]] channel& bodies() {
        if (!bodies_) bodies_ = &t_.open({where_.communicator, where_.slot + 1}, world_peer_);
        return *bodies_;
    }

    transport::any& t_;
    transport::context where_;
    int peer_, world_peer_; ///< its rank in the communicator, and in the world
    messages_under_way& all_;
    transport::transfer_queue& done_;
    channel& packets_;
    transport::status::page* page_;              ///< null where the rank has none
    transport::status::traffic* sent_ = nullptr; ///< its row for this peer, once something was sent
    channel* bodies_ = nullptr;                  ///< opened by the first announced message

    // As a sender to this peer.
    std::uint64_t credits_ = window, next_number_ = 0;
    message* first_announced_ = nullptr;
    message* last_announced_ = nullptr;

    // As a receiver from it.
    tag_queues<message> posted_;
    tag_queues<unexpected_message> unexpected_;
    tag_queues<unexpected_message> taken_;                                ///< by receives; their data are still coming
    std::unique_ptr<std::byte[]> came_{new std::byte[most_packet_bytes]}; ///< the last packet
    packet_header header_;                                                ///< of it
    message_transfer incoming_;
    bool listens_ = false; ///< incoming_ and came_ belong to the transport
    std::uint64_t owed_ = 0;
    outgoing_packet credit_packet_;
    message_transfer credit_;
    bool telling_ = false; ///< credit_ belongs to the transport
};

} // namespace tutti::engine

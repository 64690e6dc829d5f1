// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/copy.hpp"
#include "../../../base/error.hpp"

#include "pairing.hpp"
#include "resources.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::verbs {

/// The queue pairs to one peer, one a rail, and the packets that may be on their way. A packet is sent only into a slot
/// that the peer has free for this rank, so its shared receive queue never runs dry.
class connection {
public:
    /// `peer` lists the rails that the two have in common.
    connection(resources& all, std::vector<rail_card> peer) : all_(all), peer_(std::move(peer)) {}
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// The socket to the peer is there: makes queue pairs, and offers them. False, with all.shortage, if this rank
    /// cannot have them.
    [[nodiscard]] bool begin(bootstrap::descriptor&& s) {
        std::vector<pair_end> mine;
        try {
            if (!all_.packets->reserve(all_.slots_of_link())) {
                all_.shortage = "it has no room in its shared receive queue for another peer: RDMA device " +
                                all_.rails.front()->port().device + " allows " +
                                std::to_string(all_.rails.front()->facts().max_srq_wr) +
                                " entries, of which each peer takes " + std::to_string(all_.slots_of_link());
                return false;
            }
            for (std::size_t i = 0; i < peer_.size(); ++i) {
                ibv_srq* const shared = i == 0 ? all_.packets->queue() : nullptr;
                pairs_.emplace_back(*all_.rails[i], shared, all_.depth(), draw() & 0xffffff);
                mine.push_back(pairs_.back().end());
            }
        } catch (const std::exception& e) {
            all_.shortage = std::string("it cannot connect another peer: ") + e.what();
            return false;
        }
        pairing_.emplace(std::move(s));
        pairing_->offer(mine, all_.limits);
        return true;
    }

    [[nodiscard]] int descriptor() const noexcept { return pairing_ ? pairing_->descriptor() : -1; }
    [[nodiscard]] const std::vector<queue_pair>& pairs() const noexcept { return pairs_; }
    [[nodiscard]] queue_pair& pair(std::size_t rail) noexcept { return pairs_[rail]; }

    /// Handles data from the socket. Returns why the peer is gone, once it is.
    [[nodiscard]] std::optional<std::string> step() {
        if (!pairing_) return std::nullopt;
        while (pairing_->step()) continue;
        if (pairing_->at() == pairing::stage::heard && !answered_) answer();
        ready_ = !stopped_ && pairing_->at() == pairing::stage::ready;
        if (pairing_->at() == pairing::stage::over) return pairing_->why();
        return std::nullopt;
    }
    [[nodiscard]] bool ready() const noexcept { return ready_; }
    [[nodiscard]] int most_reads(std::size_t rail) const noexcept {
        return pairs_[rail].most_reads(pairing_->ends()[rail], all_.limits.reads);
    }

    /// The peer has a slot for another packet, and the queue has room for it. Two of the slots are for withdrawals, so
    /// that these need not wait for a peer that takes nothing.
    [[nodiscard]] bool can_send(bool withdrawal = false) const noexcept {
        return ready_ && sent_ - its_taken_ < its_slots_ - (withdrawal ? 0 : 2) && pairs_.front().has_room();
    }
    /// Precondition: can_send(). False if the device refuses.
    [[nodiscard]] bool send(packet& p, std::span<const std::byte> payload) {
        std::byte* const cell = cells_.first + std::size_t{cell_} * all_.packets->slot_bytes();
        cell_ = (cell_ + 1) % its_slots_; // not of sent_, which wraps
        ++sent_;
        return post(p, payload, cell);
    }
    /// The peer should hear how many of its packets were taken, though nothing else goes its way.
    [[nodiscard]] bool owes() const noexcept {
        return ready_ && taken_ - told_ >= all_.limits.slot_count / 2 && pairs_.front().has_room();
    }
    /// Precondition: owes().
    [[nodiscard]] bool send_credits() {
        packet p;
        p.kind = packet_kind::credits;
        std::byte* const cell =
            cells_.first + (its_slots_ + credits_++ % resources::beside) * all_.packets->slot_bytes();
        return post(p, {}, cell);
    }

    /// A packet has come, and its slot can be used again. False if a sane peer does not send it.
    [[nodiscard]] bool hear(const packet& p) noexcept {
        if (p.kind != packet_kind::credits) ++taken_;
        if (p.taken - its_taken_ > sent_ - its_taken_) return false;
        its_taken_ = p.taken;
        return true;
    }

    /// Has the device read a part of a message of the peer's. False if it refuses. Precondition: the pair has room.
    [[nodiscard]] bool read(std::size_t rail, std::byte* to, std::uint32_t local, std::uint64_t from,
                            std::uint32_t remote, std::size_t bytes) {
        ibv_sge place{reinterpret_cast<std::uint64_t>(to), static_cast<std::uint32_t>(bytes), local};
        ibv_send_wr w{};
        w.sg_list = &place;
        w.num_sge = 1;
        w.opcode = IBV_WR_RDMA_READ;
        w.wr.rdma.remote_addr = from;
        w.wr.rdma.rkey = remote;
        return pairs_[rail].post(w, 0, true);
    }

    void stop() noexcept {
        ready_ = false;
        stopped_ = true;
        for (queue_pair& q : pairs_) q.stop();
        if (pairing_) pairing_->stop();
    }
    [[nodiscard]] std::size_t unacknowledged() { return pairs_.empty() ? 0 : pairs_.front().unacknowledged(); }

private:
    [[nodiscard]] static std::uint32_t draw() {
        static thread_local std::random_device source;
        return source();
    }

    /// Throws a bootstrap error if the peer's ends cannot be connected to.
    void answer() {
        answered_ = true;
        its_slots_ = pairing_->slot_count();
        cells_ = all_.packets->add(all_.slots_of_link(), its_slots_ + resources::beside);
        if (!cells_.first) {
            const int code = errno;
            const std::size_t bytes =
                (all_.slots_of_link() + its_slots_ + std::size_t{resources::beside}) * all_.packets->slot_bytes();
            all_.shortage = words_of_registration(bytes, all_.memory->registered_bytes(), code);
            return;
        }
        for (std::size_t i = 0; i < pairs_.size(); ++i)
            pairs_[i].connect(peer_[i], pairing_->ends()[i], most_reads(i), all_.retry_limits_on(*all_.rails[i]));
        pairing_->answer();
    }

    [[nodiscard]] bool post(packet& p, std::span<const std::byte> payload, std::byte* cell) {
        p.taken = told_ = taken_;
        packet_image head;
        encode(p, head);
        const std::size_t bytes = packet_bytes + payload.size();
        std::array<ibv_sge, 2> pieces{
            ibv_sge{reinterpret_cast<std::uint64_t>(head.data()), packet_bytes, 0},
            {reinterpret_cast<std::uint64_t>(payload.data()), static_cast<std::uint32_t>(payload.size()), 0}};
        ibv_send_wr w{};
        w.sg_list = pieces.data();
        w.opcode = IBV_WR_SEND;
        if (bytes <= pairs_.front().inline_bytes()) {
            w.num_sge = payload.empty() ? 1 : 2;
            w.send_flags = IBV_SEND_INLINE;
        } else {
            std::memcpy(cell, head.data(), packet_bytes);
            if (!payload.empty()) tutti::detail::copy_bytes(cell + packet_bytes, payload.data(), payload.size());
            pieces[0] = {reinterpret_cast<std::uint64_t>(cell), static_cast<std::uint32_t>(bytes), cells_.key};
            w.num_sge = 1;
        }
        return pairs_.front().post(w, bytes, false);
    }

    resources& all_;
    std::vector<rail_card> peer_;
    std::vector<queue_pair> pairs_; // by rail
    std::optional<pairing> pairing_;
    bool answered_ = false;
    bool ready_ = false;
    bool stopped_ = false;
    slot_set::cells cells_{};
    std::uint32_t its_slots_ = 0; // for packets of this rank
    std::uint32_t cell_ = 0;      // that the next one goes out from
    std::uint32_t sent_ = 0;      // packets, in all, wrapping, but for credits
    std::uint32_t its_taken_ = 0; // of them
    std::uint32_t taken_ = 0;     // packets of the peer
    std::uint32_t told_ = 0;      // of them, the peer has been told
    std::uint32_t credits_ = 0;   // packets that told nothing else
};

} // namespace tutti::transport::detail::verbs

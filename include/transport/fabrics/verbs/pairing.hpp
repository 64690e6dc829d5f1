// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/bytes.hpp"
#include "../../sockets/socket.hpp"
#include "card.hpp"
#include "options.hpp"
#include "queue_pair.hpp"

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::verbs {

/// What two ranks tell each other over a socket on which both have proven to know the secret, so that their queue pairs
/// can be connected. It stays open: its end tells at once that the peer is gone.
class pairing {
public:
    enum class stage : std::uint8_t {
        offered, ///< the peer has not told its ends
        heard,   ///< it has; answer() is to be called once this rank can receive
        ready,   ///< the peer can receive, too
        over,    ///< the socket has ended, or received data are invalid
    };

    explicit pairing(bootstrap::descriptor&& s) noexcept : socket_(std::move(s)) {}

    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    [[nodiscard]] stage at() const noexcept { return at_; }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }
    /// The peer's data. Precondition: they have been received.
    [[nodiscard]] const std::vector<pair_end>& ends() const noexcept { return ends_; }
    [[nodiscard]] std::uint32_t slot_count() const noexcept { return slots_; }

    /// Tells this rank's ends, how many packets the peer may have under way, and the limits that must be equal.
    void offer(std::span<const pair_end> ends, const verbs_limits& mine) {
        std::vector<std::byte> bytes;
        tutti::detail::byte_writer w(bytes);
        shared_ = {mine.eager_bytes, mine.window_bytes, mine.contexts_ahead};
        w.integer(version);
        w.integer(mine.slot_count);
        for (const std::uint64_t limit : shared_) w.integer(limit);
        for (const pair_end& e : ends) {
            w.integer(e.number);
            w.integer(e.first_packet);
            w.integer(e.reads);
        }
        expected_ = bytes.size();
        ends_.resize(ends.size());
        tell(bytes);
    }
    /// Ends the socket: the peer sees it at once.
    void stop() noexcept { ::shutdown(socket_.get(), SHUT_RDWR); }
    void answer() {
        answered_ = true;
        tell(std::array{ready});
        judge();
    }

    /// Receives the data that have come. True if there were any.
    bool step() {
        if (at_ == stage::over) return false;
        std::array<std::byte, 256> bytes;
        const auto got = bootstrap::read_some(socket_.get(), bytes);
        come_.insert(come_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got.bytes));
        judge();
        if (got.ended && at_ != stage::over)
            end(got.error == 0 ? "closed the connection" : bootstrap::words_of_errno(got.error));
        return got.bytes > 0 || got.ended;
    }

private:
    static constexpr std::uint32_t version = 0x74760001;
    static constexpr std::byte ready{0x52};

    void tell(std::span<const std::byte> bytes) {
        const auto sent = bootstrap::write_some(socket_.get(), bytes); // little, into an empty buffer
        if (sent.bytes != bytes.size())
            end(sent.error == 0 ? "closed the connection" : bootstrap::words_of_errno(sent.error));
    }
    void end(std::string why) {
        at_ = stage::over;
        why_ = std::move(why);
    }

    void judge() {
        if (at_ == stage::offered && come_.size() >= expected_) read_offer();
        if (come_.size() > expected_ || (at_ == stage::ready && !come_.empty()))
            return end("sent what this version does not understand");
        if (at_ != stage::heard || !answered_ || come_.empty()) return;
        if (come_.size() > 1 || come_.front() != ready) return end("sent what this version does not understand");
        at_ = stage::ready;
        come_.clear();
    }
    void read_offer() {
        tutti::detail::byte_reader r{std::span<const std::byte>(come_).first(expected_)};
        const auto theirs = r.integer<std::uint32_t>();
        slots_ = r.integer<std::uint32_t>();
        bool equal = true;
        for (const std::uint64_t limit : shared_) equal = r.integer<std::uint64_t>() == limit && equal;
        for (pair_end& e : ends_) {
            e.number = r.integer<std::uint32_t>();
            e.first_packet = r.integer<std::uint32_t>() & 0xffffff;
            e.reads = r.integer<std::uint32_t>();
        }
        if (theirs != version || slots_ < least_slots || slots_ > most_slots)
            return end("sent what this version does not understand");
        if (!equal) return end("has other eager_bytes, window_bytes or contexts_ahead in its verbs_limits");
        come_.erase(come_.begin(), come_.begin() + static_cast<std::ptrdiff_t>(expected_));
        at_ = stage::heard;
    }

    static constexpr std::uint32_t least_slots = 4, most_slots = 1024;

    bootstrap::descriptor socket_;
    stage at_ = stage::offered;
    std::string why_;
    std::array<std::uint64_t, 3> shared_{}; // limits that both ranks must have alike
    std::size_t expected_ = 0;              // bytes of an offer
    bool answered_ = false;
    std::vector<std::byte> come_;
    std::vector<pair_end> ends_;
    std::uint32_t slots_ = 0;
};

} // namespace tutti::transport::detail::verbs

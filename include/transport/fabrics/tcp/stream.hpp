// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/scatter_read.hpp"
#include "cipher.hpp"
#include "reader.hpp"
#include "writer.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace tutti::transport::detail::tcp {

/// One authenticated socket to a peer: moves bytes between it, the reader and the writer. Never blocks or throws.
class stream {
public:
    /// Read beyond what has a known place while a receive waits that is better read straight to where it belongs: many
    /// small messages at once, but not much of that one, until its header has been seen.
    static constexpr std::size_t beyond_bytes = inbox::placed_bytes;
    /// System calls at a time, so that one peer cannot keep the others waiting.
    static constexpr int turns = 4;
    /// After so many bytes in one direction it is the other's turn: what is on its way then stays in the caches.
    static constexpr std::size_t turn_bytes = 128 * 1024;
    static constexpr std::uint32_t silence_ms = 10'000;

    /// Without a cipher the bytes travel as they are.
    stream(socket&& s, int lane, multiplexer& board, std::unique_ptr<cipher> c = {})
        : socket_(std::move(s)), lane_(lane), board_(board), in_(board), cipher_(std::move(c)) {}

    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    [[nodiscard]] int lane() const noexcept { return lane_; }
    short watched = 0; ///< the events of poll(2) that the owner has it watched for
    /// The events that poll(2) should look for.
    [[nodiscard]] short events() const noexcept {
        const int in = in_.paused() ? 0 : POLLIN;
        return static_cast<short>(in | (busy() ? POLLOUT : 0));
    }

    /// Something is on its way out.
    [[nodiscard]] bool busy() const noexcept { return !out_.empty() && !deaf_; }

    /// Sends queued data, as far as the kernel takes them. True if any byte moved.
    bool write() {
        bool moved = false;
        const int most = cipher_ ? static_cast<int>(turn_bytes / cipher::batch_bytes) : turns;
        for (int i = 0; i < most && !deaf_; ++i) {
            fill();
            if (out_.empty()) break;
            const io_result sent = cipher_ ? write_records() : write_some();
            // Data that the peer sent before it left are still to be read: only reading ends the stream.
            if (sent.ended) become_deaf(sent.error);
            out_.written(sent.bytes);
            moved = moved || sent.bytes > 0;
            // Of records the kernel has taken all if it has taken any.
            if (sent.bytes == 0 || (!out_.empty() && !cipher_) || sent.bytes >= turn_bytes) break;
        }
        return moved;
    }

    /// Receives the data that have come. `landing` is used during the call alone. True if any byte moved.
    bool read(std::span<std::byte> landing) {
        bool moved = in_.paused() && in_.resume();
        judge();
        for (int i = 0; i < turns && !in_.paused() && !ended(); ++i) {
            bool all = false;
            const io_result got = cipher_ ? read_records(landing, all) : read_plain(landing, all);
            moved = moved || got.bytes > 0;
            if (got.ended) return end(got.error);
            if (!all || cipher_ || got.bytes >= turn_bytes) break;
        }
        return moved;
    }

    /// The peer is gone, or is not one. All that had come was taken.
    [[nodiscard]] bool ended() const noexcept { return !why_.empty(); }
    /// It ended as the stream of a rank that has left. Data of the other lanes may still be on their way.
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    /// Fragments on other lanes must come first.
    [[nodiscard]] bool paused() const noexcept { return in_.paused(); }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

    /// Gives up a peer whose host has acknowledged nothing for long though it was asked again and again. A host whose
    /// rank reads nothing does acknowledge.
    void examine() {
        tcp_info facts{};
        socklen_t length = sizeof facts;
        if (::getsockopt(descriptor(), IPPROTO_TCP, TCP_INFO, &facts, &length) != 0) return;
        if (facts.tcpi_unacked > 0 && facts.tcpi_retransmits > 0 && facts.tcpi_last_ack_recv >= silence_ms)
            why_ = "has not acknowledged anything for 10 s";
    }

    /// Ends it for both sides.
    void stop(const std::string& why) {
        ::shutdown(descriptor(), SHUT_RDWR);
        if (!ended()) why_ = why;
    }

    void forget(const channel& c) {
        in_.forget(c);
        out_.abandon(c.where);
    }

    /// No more will be written.
    void finish() { ::shutdown(descriptor(), SHUT_WR); }
    /// Bytes that the peer's kernel has not got yet. To be asked after finish(), whose mark the kernel counts as one.
    [[nodiscard]] std::size_t unacknowledged() const {
        int bytes = 0;
        return ::ioctl(descriptor(), SIOCOUTQ, &bytes) == 0 && bytes > 1 ? static_cast<std::size_t>(bytes - 1) : 0;
    }
    /// Discards received data: closing a socket with unread data would reset it, and the peer would lose data.
    void discard(std::span<std::byte> landing) {
        io_result got{1};
        for (int i = 0; i < turns && got.bytes > 0; ++i) got = read_some(socket_, {}, landing);
        if (got.ended) end(got.error);
    }

private:
    /// Little is put together first: cheaper than to have the kernel gather it.
    io_result write_some() {
        constexpr std::size_t little = 4096;
        if (out_.bytes() > little) return write_gathered();
        std::array<std::byte, little> joined;
        out_.join(joined.data());
        return bootstrap::write_some(descriptor(), std::span(joined).first(out_.bytes()));
    }
    io_result write_gathered() {
        const writer::pieces wanted = out_.gather();
        std::array<iovec, 2 * writer::max_frames> pieces;
        for (std::size_t i = 0; i < wanted.count; ++i) pieces[i] = bootstrap::piece(wanted.list[i]);
        return bootstrap::write_some(descriptor(), std::span<const iovec>(pieces).first(wanted.count));
    }

    void fill() noexcept {
        while (!out_.full()) {
            const auto f = board_.next(lane_ == 0);
            if (!f) return;
            out_.push(*f);
        }
    }

    /// `all`: as much came as there was room for.
    io_result read_plain(std::span<std::byte> landing, bool& all) {
        const auto place = in_.place();
        const bool freely = in_.inside_payload() || board_.waiting().placed == 0;
        const auto rest = landing.first(freely && place.empty() ? landing.size() : beyond_bytes);
        const io_result got = read_some(socket_, place, rest);
        if (got.bytes > 0) take(got.bytes, place, rest);
        all = got.bytes == place.size() + rest.size();
        return got;
    }
    io_result read_records(std::span<std::byte> landing, bool& all) {
        static_assert(beyond_bytes >= most_record_bytes);
        const io_result got = cipher_->read(in_, landing, turn_bytes);
        all = got.bytes > 0;
        judge();
        if (!cipher_->why().empty()) why_ = cipher_->why();
        return got;
    }
    io_result write_records() {
        const io_result sent = cipher_->write(out_);
        if (!cipher_->why().empty()) stop(std::string(cipher_->why()));
        return sent;
    }

    void take(std::size_t bytes, std::span<std::byte> place, std::span<std::byte> rest) {
        const std::size_t direct = std::min(bytes, place.size());
        if (direct > 0) in_.placed(direct);
        in_.take(rest.first(bytes - direct));
        judge();
    }

    void judge() {
        if (in_.senseless()) why_ = "sent what this version does not understand";
    }

    void become_deaf(int error) {
        deaf_ = true;
        // The kernel reports an error once, to the first call. Later reads would only report the end of the stream.
        if (error != EPIPE) fault_ = bootstrap::words_of_errno(error);
    }

    bool end(int error) {
        if (ended()) return true; // the cipher says why
        closed_ = error == 0 && fault_.empty();
        if (closed_)
            why_ = "closed the connection";
        else
            why_ = fault_.empty() ? bootstrap::words_of_errno(error) : fault_;
        return true;
    }

    socket socket_;
    int lane_;
    multiplexer& board_;
    reader in_;
    writer out_;
    std::unique_ptr<cipher> cipher_;
    bool deaf_ = false; // the peer takes no more
    std::string fault_; // that made it deaf
    std::string why_;   // it ended
    bool closed_ = false;
};

} // namespace tutti::transport::detail::tcp

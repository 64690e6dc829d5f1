// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/crypto.hpp"
#include "../sockets/proven_socket.hpp"
#include "../sockets/socket.hpp"
#include "../sockets/tls.hpp"
#include "control_frames.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Why a frame_stream has ended.
enum class stream_end : std::uint8_t {
    none,      ///< it has not
    closed,    ///< by the other side
    broke,     ///< the system says so
    senseless, ///< the other side, which knows the secret, sent something that is no frame
    exits,     ///< this process does, and OpenSSL has ended: nothing can be encrypted or decrypted any more
    forged,    ///< what came was changed on the way
};

/// Frames over a non-blocking socket, inside TLS; nothing here waits, and no buffer grows past its bound.
class frame_stream {
public:
    static constexpr std::size_t max_unsent_bytes = 4 * 1024 * 1024;
    static constexpr std::size_t share_cost = 64; ///< the memory of shared frames beside their bytes

    /// Nothing may be sent or read before protect().
    explicit frame_stream(descriptor socket) : socket_(std::move(socket)) {}
    explicit frame_stream(proven_socket s) : socket_(std::move(s.socket)) { protect(std::move(s.inside)); }

    /// Goes on inside.
    void protect(tls::state proven) { inside_.emplace(std::move(proven), get()); }

    [[nodiscard]] int get() const noexcept { return socket_.get(); }
    void close() {
        inside_.reset();
        socket_.reset();
    }

    /// Queues a frame and writes as much as the socket takes; does nothing if the other side is gone. False, and
    /// nothing queued, when too much is unsent already.
    TUTTI_COLD bool send(frame_type type, std::span<const std::byte> body) {
        std::vector<std::byte> whole;
        append_frame(whole, type, body);
        return send(share(std::move(whole)));
    }

    /// The same with frames that others may get as well.
    TUTTI_COLD bool send(const shared_frames& all) {
        if (!takes_words()) return true;
        if (unsent_ + all->size() + share_cost > max_unsent_bytes) return false;
        out_.push_back(all);
        unsent_ += all->size() + share_cost;
        flush();
        return true;
    }

    /// Writes as much of the unsent bytes as the socket takes. A failed write is not the end: the last frames of the
    /// other side, perhaps its farewell, are still to be read.
    TUTTI_COLD void flush() {
        while (wants_write()) {
            deaf_ = inside_->flush().ended;
            if (deaf_ || inside_->wants_write() || unsent_ == 0) break;
            const auto rest = std::span(*out_[first_]).subspan(written_);
            const auto r = inside_->take(rest.first(std::min(rest.size(), tls::stream::record_bytes)));
            if (r.ended) return end(r.error); // no memory
            written_ += r.bytes;
            if (written_ < out_[first_]->size()) continue;
            unsent_ -= written_ + share_cost;
            out_[first_++].reset();
            written_ = 0;
            forget_sent();
        }
        if (unsent_ > 0 && !deaf_) return;
        out_ = {}; // rank 0 has as many streams as there are ranks
        first_ = unsent_ = written_ = 0;
    }

    [[nodiscard]] bool wants_write() const noexcept { return takes_words() && (unsent_ > 0 || inside_->wants_write()); }

    /// Reads once. True if anything came.
    TUTTI_COLD bool read() {
        const detail::use_of_openssl held;
        if (!held.lasts()) end(stream_end::exits, detail::use_of_openssl::has_ended);
        if (ended() || !inside_) return false;
        std::array<std::byte, tls::stream::record_bytes> landing;
        const auto r = inside_->read(landing);
        if (inside_->forged())
            end(stream_end::forged, "what came over its connection was changed on the way");
        else if (r.ended)
            end(r.error);
        frames_.feed(std::span(landing).first(r.bytes));
        return r.bytes > 0;
    }

    /// The next whole frame that was read, if any; also after the end.
    TUTTI_COLD [[nodiscard]] std::optional<frame> next() {
        auto f = frames_.next();
        if (frames_.broken() && !ended()) end(stream_end::senseless, "it sent what is no frame of this protocol");
        return f;
    }

    /// Nothing will be read or written any more.
    [[nodiscard]] bool ended() const noexcept { return end_ != stream_end::none; }
    [[nodiscard]] stream_end how() const noexcept { return end_; }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    /// Now and then, so that a stream which is never empty does not grow.
    void forget_sent() {
        constexpr std::size_t many = 1024;
        if (first_ < many || 2 * first_ < out_.size()) return;
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }

    [[nodiscard]] bool takes_words() const noexcept {
        return inside_ && !deaf_ && end_ == stream_end::none && detail::use_of_openssl::usable();
    }
    void end(int error) {
        if (error == 0)
            end(stream_end::closed, "its connection was closed");
        else
            end(stream_end::broke, "its connection broke: " + words_of_errno(error));
    }
    void end(stream_end how, std::string why) {
        end_ = how;
        why_ = std::move(why);
    }

    descriptor socket_;
    std::optional<tls::stream> inside_; // none while the other side is a stranger
    frame_cutter frames_;
    std::vector<shared_frames> out_;
    std::size_t first_ = 0;   // of those that are not out yet
    std::size_t written_ = 0; // of these
    std::size_t unsent_ = 0;  // bytes of all that are not whole out, and their cost
    bool deaf_ = false;       // the other side takes no more
    stream_end end_ = stream_end::none;
    std::string why_;
};

} // namespace tutti::transport::bootstrap

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/proven_socket.hpp"
#include "../sockets/secret.hpp"
#include "../sockets/socket.hpp"
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
    exits,     ///< this process does, and OpenSSL has ended: nothing can be sealed or opened any more
    forged,    ///< a record bears a wrong tag: it was changed on the way
};

/// Frames over a non-blocking socket, sealed in both directions; nothing here waits, and no buffer grows past its
/// bound.
class frame_stream {
public:
    static constexpr std::size_t max_unsent_bytes = 4 * 1024 * 1024;
    static constexpr std::size_t record_cost = 64; ///< the memory of a record beside its bytes

    /// Nothing may be sent or read before protect().
    explicit frame_stream(descriptor socket) : socket_(std::move(socket)) {}
    explicit frame_stream(proven_socket s) : socket_(std::move(s.socket)) { protect(s.keys); }

    /// Seals and opens with these from now on.
    void protect(const traffic_keys& keys) {
        sealer_.emplace(keys.out);
        opener_.emplace(keys.in);
    }

    [[nodiscard]] int get() const noexcept { return socket_.get(); }
    void close() { socket_.reset(); }

    /// Queues a frame and writes as much as the socket takes; does nothing if the other side is gone. False, and
    /// nothing queued, when too much is unsent already.
    TUTTI_COLD bool send(frame_type type, std::span<const std::byte> body) {
        const detail::use_of_openssl held;
        if (!held.lasts() || !takes_words()) return true;
        std::vector<std::byte> whole;
        append_frame(whole, type, body);
        return send(batches_of(whole));
    }

    /// The same with whole frames that others may get as well. None of the streams copies them.
    TUTTI_COLD [[nodiscard]] bool send(std::span<const frame_batch> batches) {
        const detail::use_of_openssl held;
        if (!held.lasts() || !takes_words()) return true;
        std::size_t more = 0;
        for (const auto& b : batches) more += b.text->size() + tag_bytes + record_cost;
        if (unsent_ + more > max_unsent_bytes) return false;
        for (const auto& b : batches) out_.push_back(sealer_->seal(b));
        unsent_ += more;
        flush();
        return true;
    }

    /// Writes as much of the unsent bytes as the socket takes. A failed write is not the end: the last frames of the
    /// other side, perhaps its farewell, are still to be read.
    TUTTI_COLD void flush() {
        while (wants_write()) {
            const auto r = write_first();
            deaf_ = r.ended;
            if (r.bytes == 0) break;
            written_ += r.bytes;
            if (written_ < out_[first_].size()) continue;
            unsent_ -= written_ + record_cost;
            out_[first_++].text.reset();
            written_ = 0;
            forget_sent();
        }
        if (unsent_ > 0 && !deaf_) return;
        out_ = {}; // rank 0 has as many streams as there are ranks
        first_ = unsent_ = written_ = 0;
    }

    [[nodiscard]] bool wants_write() const noexcept { return takes_words() && unsent_ > 0; }

    /// Reads once. True if anything came.
    TUTTI_COLD bool read() {
        const detail::use_of_openssl held;
        if (!held.lasts()) end(stream_end::exits, detail::use_of_openssl::has_ended);
        if (ended()) return false;
        std::array<std::byte, 16 * 1024> landing;
        const auto r = read_some(get(), landing);
        if (r.ended) end(r.error);
        opener_->feed(std::span(landing).first(r.bytes));
        opener_->open([this](std::span<const std::byte> frames) { frames_.feed(frames); });
        if (opener_->forged()) end(stream_end::forged, "what came over its connection was changed on the way");
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

    /// The rest of the first record.
    io_result write_first() const {
        const sealed_record& first = out_[first_];
        const auto text = std::span(*first.text).subspan(std::min(written_, first.text->size()));
        const auto tag = std::span(first.tag).subspan(std::max(written_, first.text->size()) - first.text->size());
        const std::array<iovec, 2> both{piece(text), piece(tag)};
        return write_some(get(), std::span<const iovec>(both));
    }

    /// Whose words were changed on the way may still be told so.
    [[nodiscard]] bool takes_words() const noexcept {
        return !deaf_ && detail::use_of_openssl::usable() && (end_ == stream_end::none || end_ == stream_end::forged);
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
    std::optional<frame_sealer> sealer_;
    std::optional<frame_opener> opener_;
    frame_cutter frames_;
    std::vector<sealed_record> out_;
    std::size_t first_ = 0;   // of those that are not out yet
    std::size_t written_ = 0; // of that record
    std::size_t unsent_ = 0;  // bytes of all records that are not whole out, and their cost
    bool deaf_ = false;       // the other side takes no more
    stream_end end_ = stream_end::none;
    std::string why_;
};

} // namespace tutti::transport::bootstrap

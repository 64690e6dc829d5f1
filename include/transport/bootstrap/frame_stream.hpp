// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "frame.hpp"
#include "socket.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Frames over a non-blocking socket; nothing here waits, and no buffer grows past its bound.
class frame_stream {
public:
    static constexpr std::size_t max_unsent_bytes = 4 * 1024 * 1024;

    explicit frame_stream(descriptor socket) : socket_(std::move(socket)) {}

    [[nodiscard]] int get() const noexcept { return socket_.get(); }

    /// Queues a frame and writes what can be written; to one that has gone, nothing. False, and nothing queued, when
    /// too much is unsent already.
    bool send(frame_type type, std::span<const std::byte> body) {
        std::vector<std::byte> whole;
        append_frame(whole, type, body);
        return send_frames(whole);
    }

    /// The same with frames that are whole already.
    [[nodiscard]] bool send_frames(std::span<const std::byte> frames) {
        if (deaf_ || ended_) return true;
        if (out_.size() - written_ + frames.size() > max_unsent_bytes) return false;
        out_.insert(out_.end(), frames.begin(), frames.end());
        flush();
        return true;
    }

    /// Writes what can be written of what is unsent. That writing fails is not the end: what the other side said before
    /// it went, its farewell perhaps, is still to be read.
    void flush() {
        while (wants_write()) {
            const auto r = write_some(get(), std::span(out_).subspan(written_));
            deaf_ = r.ended;
            if (r.bytes == 0) break;
            written_ += r.bytes;
        }
        if (written_ == out_.size() || written_ > max_unsent_bytes / 4) {
            out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(written_));
            written_ = 0;
        }
    }

    [[nodiscard]] bool wants_write() const noexcept { return !ended_ && !deaf_ && written_ < out_.size(); }

    /// Reads once. True if anything came.
    bool read() {
        if (ended_) return false;
        std::array<std::byte, 16 * 1024> landing;
        const auto r = read_some(get(), landing);
        if (r.ended) end(r.error);
        frames_.feed(std::span(landing).first(r.bytes));
        return r.bytes > 0;
    }

    /// The next whole frame that was read, if any; also after the end.
    [[nodiscard]] std::optional<frame> next() {
        auto f = frames_.next();
        if (frames_.broken() && !ended_) end_because("it sent what is no frame of this protocol");
        return f;
    }

    /// Nothing will be read or written any more.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

private:
    void end(int error) {
        end_because(error == 0 ? "its connection was closed" : "its connection broke: " + words_of_errno(error));
    }
    void end_because(std::string why) {
        ended_ = true;
        why_ = std::move(why);
    }

    descriptor socket_;
    frame_cutter frames_;
    std::vector<std::byte> out_;
    std::size_t written_ = 0;
    bool deaf_ = false; // the other side takes no more
    bool ended_ = false;
    std::string why_;
};

} // namespace tutti::transport::bootstrap

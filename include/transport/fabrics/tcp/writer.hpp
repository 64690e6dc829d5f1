// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/outbox.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::transport::detail::tcp {

/// The frames that are on their way out of one socket. Knows no socket: hands out memory to be written, by stream.hpp,
/// and is told how much of it was.
class writer {
public:
    /// Frames at a time: enough to gather small messages in one system call.
    static constexpr std::size_t max_frames = 16;
    /// With this much waiting no frame is added, so that a long message does not get in the way of a short one.
    static constexpr std::size_t enough_bytes = 128 * 1024;

    using piece = std::span<const std::byte>;
    /// Memory to be written in one go: at most a header and a payload a frame.
    struct pieces {
        std::array<piece, 2 * max_frames> list;
        std::size_t count = 0;
    };

    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] bool full() const noexcept { return count_ == max_frames || bytes_ >= enough_bytes; }

    void push(const fragment& f) noexcept {
        outgoing& o = frames_[(first_ + count_++) % max_frames];
        encode(f.head, o.header);
        o.payload = {f.payload, f.head.bytes};
        o.message = f.message;
        o.where = f.head.where;
        bytes_ += frame_bytes + f.head.bytes;
    }

    [[nodiscard]] pieces gather() const noexcept {
        pieces all;
        for_each_piece([&](piece p) { all.list[all.count++] = p; });
        return all;
    }

    /// Bytes that are not out.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// Copies them all to one place, which has the room.
    void join(std::byte* to) const noexcept {
        for_each_piece([&](piece p) { to = std::copy(p.begin(), p.end(), to); });
    }

    /// The first `bytes` that gather() returned were written. Completes the sends that are all out.
    void written(std::size_t bytes) noexcept {
        while (bytes > 0) {
            outgoing& o = frames_[first_];
            const std::size_t some = std::min(bytes, frame_bytes + o.payload.size() - done_);
            if (o.message) o.message->moved += std::max(done_ + some, frame_bytes) - std::max(done_, frame_bytes);
            bytes -= some;
            bytes_ -= some;
            done_ += some;
            if (done_ == frame_bytes + o.payload.size()) finish(o);
        }
    }

    /// No send of that context is touched any more. What was to go out still does, from a copy of it: the peer may be
    /// in the midst of the frame, and filling it up with anything else might be delivered.
    void abandon(context k) {
        for (std::size_t i = 0; i < count_; ++i) {
            outgoing& o = frames_[(first_ + i) % max_frames];
            if (!o.message || o.where != k) continue;
            o.copy.assign(o.payload.begin(), o.payload.end());
            o.payload = o.copy;
            o.message = nullptr;
        }
    }

private:
    struct outgoing {
        frame_image header{};
        piece payload;
        transfer* message = nullptr;
        context where;
        std::vector<std::byte> copy; // of the payload of a send that was abandoned
    };

    template <class Use>
    void for_each_piece(Use&& use) const noexcept {
        std::size_t skip = done_;
        for (std::size_t i = 0; i < count_; ++i, skip = 0) {
            const outgoing& o = frames_[(first_ + i) % max_frames];
            if (skip < frame_bytes) use(piece(o.header).subspan(skip));
            const std::size_t of_payload = std::max(skip, frame_bytes) - frame_bytes;
            if (of_payload < o.payload.size()) use(o.payload.subspan(of_payload));
        }
    }

    void finish(outgoing& o) noexcept {
        if (o.message && o.message->moved == o.message->bytes) complete(*o.message);
        o.copy = {};
        first_ = (first_ + 1) % max_frames;
        --count_;
        done_ = 0;
    }

    std::array<outgoing, max_frames> frames_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    std::size_t done_ = 0;  // bytes of the first frame that are out
    std::size_t bytes_ = 0; // that are not out
};

} // namespace tutti::transport::detail::tcp

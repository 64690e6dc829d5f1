// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../../base/version.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// The types of frames of the control connection, after its handshake.
enum class frame_type : std::uint8_t {
    join,    ///< rank to rendezvous: a member and how long it will wait
    refused, ///< rendezvous to rank: why there will be no world, and the rank at fault; to it: why it gives up
    member,  ///< rendezvous to rank: one line of the table
    start,   ///< rendezvous to rank: the table is complete; the id of the world
    talk,    ///< both ways: a notice
};

struct frame {
    frame_type type;
    std::vector<std::byte> body;
};

inline constexpr std::size_t max_frame_bytes = 64 * 1024; ///< version, type and body
inline constexpr std::size_t frame_header_bytes = 6;      ///< length 4, version 1, type 1

/// Appends a frame. Precondition: the body is shorter than max_frame_bytes - 2.
TUTTI_COLD inline void append_frame(std::vector<std::byte>& out, frame_type type, std::span<const std::byte> body) {
    tutti::detail::byte_writer w(out);
    w.integer(static_cast<std::uint32_t>(body.size() + 2));
    w.integer(tutti::detail::wire_version);
    w.integer(static_cast<std::uint8_t>(type));
    w.raw(body);
}

/// Cuts a stream of bytes into frames. Holds at most one frame and the bytes that were fed with its end.
class frame_cutter {
public:
    void feed(std::span<const std::byte> bytes) {
        if (!broken_) held_.insert(held_.end(), bytes.begin(), bytes.end());
    }

    /// The next whole frame, if there is one.
    [[nodiscard]] std::optional<frame> next() {
        const auto left = std::span(held_).subspan(read_);
        tutti::detail::byte_reader r(left);
        const auto length = r.integer<std::uint32_t>();
        const auto version = r.integer<std::uint8_t>();
        const auto type = r.integer<std::uint8_t>();
        if (broken_ || !r.ok()) return forget();
        broken_ = length < 2 || length > max_frame_bytes || version != tutti::detail::wire_version ||
                  type > static_cast<std::uint8_t>(frame_type::talk);
        const auto body = r.raw(length - 2);
        if (broken_ || !r.ok()) return forget();
        read_ += frame_header_bytes + body.size();
        return frame{static_cast<frame_type>(type), {body.begin(), body.end()}};
    }

    /// The bytes were no frame; later ones are ignored.
    [[nodiscard]] bool broken() const noexcept { return broken_; }

private:
    std::nullopt_t forget() {
        constexpr std::size_t kept_bytes = 1024; // between frames, which are mostly short
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(read_));
        read_ = 0;
        if (held_.empty() && held_.capacity() > kept_bytes) held_ = {};
        return std::nullopt;
    }

    std::vector<std::byte> held_;
    std::size_t read_ = 0;
    bool broken_ = false;
};

/// Whole frames for any number of streams, none of which copies them.
using shared_frames = std::shared_ptr<const std::vector<std::byte>>;

[[nodiscard]] inline shared_frames share(std::vector<std::byte> frames) {
    return std::make_shared<const std::vector<std::byte>>(std::move(frames));
}

} // namespace tutti::transport::bootstrap

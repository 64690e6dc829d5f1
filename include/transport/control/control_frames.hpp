// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../../base/version.hpp"
#include "../sockets/secret.hpp"

#include <algorithm>
#include <array>
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

} // namespace tutti::transport::bootstrap

/// The frames of the control connection as they travel: in records that bear a tag, so that no relay can
/// change, drop, repeat or reorder them. They are not encrypted.
///
/// Record: length 4, bytes of frames, tag 16. The tag is HMAC-SHA256(key, number of the record 8 | SHA-256(bytes)), cut
/// to 16 bytes; the key is that of the direction, and records are counted from 0. The digest is apart from the key, so
/// that frames of rank 0 for all ranks are digested once. A frame may go over the end of a record.
namespace tutti::transport::bootstrap {

inline constexpr std::size_t record_length_bytes = 4;
inline constexpr std::size_t tag_bytes = 16;
inline constexpr std::size_t max_record_bytes = 64 * 1024; ///< of frames

namespace detail {

inline std::array<std::byte, tag_bytes> tag_of(const digest& key, std::uint64_t number, const digest& of_frames) {
    std::array<std::byte, sizeof number + sizeof(digest)> text;
    for (std::size_t i = 0; i < sizeof number; ++i) text[i] = static_cast<std::byte>(number >> (8 * i));
    std::copy(of_frames.begin(), of_frames.end(), text.begin() + sizeof number);
    const digest whole = hmac_of(key, text);
    std::array<std::byte, tag_bytes> out;
    std::copy_n(whole.begin(), out.size(), out.begin());
    return out;
}

} // namespace detail

/// The content of one record, for any receiver: its length, then frames of at most max_record_bytes; and their digest.
struct frame_batch {
    TUTTI_COLD explicit frame_batch(std::span<const std::byte> frames) : hash(digest_of(frames)) {
        std::vector<std::byte> all;
        all.reserve(record_length_bytes + frames.size());
        tutti::detail::byte_writer w(all);
        w.integer(static_cast<std::uint32_t>(frames.size()));
        w.raw(frames);
        text = std::make_shared<const std::vector<std::byte>>(std::move(all));
    }
    std::shared_ptr<const std::vector<std::byte>> text; ///< shared by all records of it
    digest hash;
};

/// A record on its way.
struct sealed_record {
    std::shared_ptr<const std::vector<std::byte>> text;
    std::array<std::byte, tag_bytes> tag;
    [[nodiscard]] std::size_t size() const noexcept { return text->size() + tag.size(); }
};

/// Frames of any length, cut into batches.
[[nodiscard]] inline std::vector<frame_batch> batches_of(std::span<const std::byte> frames) {
    std::vector<frame_batch> out;
    while (!frames.empty()) {
        const std::size_t some = std::min(frames.size(), max_record_bytes);
        out.emplace_back(frames.first(some));
        frames = frames.subspan(some);
    }
    return out;
}

/// Seals the frames of one side.
class frame_sealer {
public:
    explicit frame_sealer(const digest& key) : key_(key) {}

    /// The next record.
    [[nodiscard]] sealed_record seal(const frame_batch& b) { return {b.text, detail::tag_of(key_, next_++, b.hash)}; }

private:
    digest key_;
    std::uint64_t next_ = 0;
};

/// Opens the frames of the other side. Holds at most one record, and the bytes that were fed with its end.
class frame_opener {
public:
    explicit frame_opener(const digest& key) : key_(key) {}

    void feed(std::span<const std::byte> bytes) {
        if (!forged_) held_.insert(held_.end(), bytes.begin(), bytes.end());
    }

    /// Hands the bytes of each whole record that bears its tag to `use`.
    template <class Use>
    void open(Use&& use) {
        std::size_t at = 0;
        for (auto frames = next(at); frames; frames = next(at)) use(*frames);
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(forged_ ? held_.size() : at));
    }

    /// A record did not bear its tag; nothing after it is looked at.
    [[nodiscard]] bool forged() const noexcept { return forged_; }

private:
    TUTTI_COLD std::optional<std::span<const std::byte>> next(std::size_t& at) {
        tutti::detail::byte_reader r(std::span<const std::byte>(held_).subspan(at));
        const auto length = r.integer<std::uint32_t>();
        if (forged_ || !r.ok()) return std::nullopt;
        forged_ = length > max_record_bytes;
        const auto frames = r.raw(length);
        const auto tag = r.raw(tag_bytes);
        if (forged_ || !r.ok()) return std::nullopt;
        forged_ = !same(tag, detail::tag_of(key_, next_, digest_of(frames)));
        if (forged_) return std::nullopt;
        ++next_;
        at += record_length_bytes + length + tag_bytes;
        return frames;
    }

    digest key_;
    std::uint64_t next_ = 0;
    std::vector<std::byte> held_;
    bool forged_ = false;
};

} // namespace tutti::transport::bootstrap

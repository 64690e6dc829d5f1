// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../flow/multiplexer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace tutti::transport::detail::tcp {

/// Takes one socket's incoming bytes apart and brings them to their channels. Knows no socket; whatever the bytes are,
/// it ends at worst in senseless().
class reader {
public:
    explicit reader(multiplexer& board) noexcept : board_(board) {}

    /// Where the next bytes can be put without a detour, or nothing.
    [[nodiscard]] std::span<std::byte> place() const noexcept {
        return target_ && rest_ > 0 ? target_->in.place(rest_) : std::span<std::byte>{};
    }
    /// That many bytes were put there.
    void placed(std::size_t bytes) noexcept {
        rest_ -= bytes;
        target_->in.placed(bytes);
    }

    /// A receive-and-reduce or a message without a receive is under way: large reads are welcome.
    [[nodiscard]] bool inside_payload() const noexcept { return rest_ > 0; }

    /// Takes bytes that came elsewhere. While paused they are kept.
    void take(std::span<const std::byte> bytes) {
        while (!bytes.empty() && !paused_ && !senseless_)
            bytes = bytes.subspan(rest_ > 0 ? take_payload(bytes) : take_header(bytes));
        if (paused_) held_.insert(held_.end(), bytes.begin(), bytes.end());
    }

    /// The next fragment has not its turn: nothing may be read until resume() says so.
    [[nodiscard]] bool paused() const noexcept { return paused_; }
    /// Takes the data that were kept, if their turn has come. True if any byte moved.
    bool resume() {
        paused_ = false;
        begin_frame();
        if (paused_) return false;
        held_.swap(kept_);
        take(kept_);
        kept_.clear();
        return true;
    }

    /// Received data violate the protocol. No more are taken.
    [[nodiscard]] bool senseless() const noexcept { return senseless_; }

    /// The channel is about to go; the rest of its payload is thrown away.
    void forget(const channel& c) noexcept {
        if (target_ == &c) target_ = nullptr;
    }

private:
    std::size_t take_header(std::span<const std::byte> bytes) {
        const std::size_t some = std::min(frame_bytes - have_, bytes.size());
        std::memcpy(header_.data() + have_, bytes.data(), some);
        have_ += some;
        if (have_ == frame_bytes) begin_frame();
        return some;
    }

    std::size_t take_payload(std::span<const std::byte> bytes) {
        const std::size_t some = std::min(rest_, bytes.size());
        if (target_) target_->in.arrive(bytes.first(some));
        rest_ -= some;
        return some;
    }

    void begin_frame() {
        const auto f = decode(header_);
        if (!f) return fail();
        target_ = nullptr;
        if (f->kind == frame_kind::data)
            begin_data(*f);
        else if (!board_.take(*f))
            fail();
        if (paused_ || senseless_) return;
        have_ = 0;
        rest_ = f->bytes;
    }

    void begin_data(const frame& f) {
        bool sane = true;
        target_ = board_.route(f, sane);
        if (!sane) return fail();
        if (!target_) return;
        switch (target_->in.begin(f)) {
        case inbox::turn::now: board_.schedule_receive(*target_); break;
        case inbox::turn::later: paused_ = true; break;
        case inbox::turn::never: fail(); break;
        }
    }

    void fail() noexcept {
        senseless_ = true;
        target_ = nullptr;
        rest_ = 0;
    }

    multiplexer& board_;
    frame_image header_{};
    std::size_t have_ = 0;      // bytes of the header
    std::size_t rest_ = 0;      // bytes of the payload that are to come
    channel* target_ = nullptr; // of the payload; null: nowhere
    bool paused_ = false;       // between a header and its payload
    bool senseless_ = false;
    std::vector<std::byte> held_; // data read behind the header before it paused
    std::vector<std::byte> kept_; // the same while it is taken
};

} // namespace tutti::transport::detail::tcp

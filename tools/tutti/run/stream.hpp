// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"
#include "rank_output.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tutti::tools {

/// One stream of one rank: from its pipe to where it belongs.
class stream {
public:
    /// `to` must outlive it.
    stream(descriptor from, int rank, channel which, rank_output& to)
        : from_(std::move(from)), to_(&to), rank_(rank), which_(which) {
        if (from_.open()) fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    }

    [[nodiscard]] int get() const noexcept { return from_.get(); }
    [[nodiscard]] bool open() const noexcept { return from_.open(); }
    /// Whether it may be copied: what came before has been written.
    [[nodiscard]] bool ready() const { return open() && to_->ready(which_); }
    /// Whether its rank is gone: it holds what was left behind, and then no more.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    void end() noexcept { ended_ = true; }

    /// Copies what is there now, at most so much that the others get their turn. Closes at the end: when all who could
    /// write are gone, or when the rank is and nothing is there.
    void copy() {
        constexpr int most_pieces = 1024; // a pipe holds 16; more after the end only if somebody else still writes
        std::array<char, 65536> piece;
        const ssize_t got = read(from_.get(), piece.data(), piece.size());
        if (got > 0) to_->take(rank_, which_, {piece.data(), static_cast<std::size_t>(got)});
        const bool dry = got == 0 || (got < 0 && errno != EINTR && (errno != EAGAIN || ended_));
        if (dry || (ended_ && ++pieces_after_end_ > most_pieces)) {
            to_->finish(rank_, which_);
            from_.reset();
        }
    }

private:
    descriptor from_;
    rank_output* to_;
    int rank_;
    channel which_;
    bool ended_ = false;
    int pieces_after_end_ = 0;
};

} // namespace tutti::tools

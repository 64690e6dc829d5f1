// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/descriptor.hpp"
#include "lines.hpp"
#include "outlet.hpp"
#include "unison.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {

/// One stream of one rank: from its pipe, line by line and with the rank in front, to where it belongs.
class stream {
public:
    /// `to` and `with` must outlive it. What passes through `with`, if it is given, may come out together with what
    /// others say. Lines that begin with `sought` are noticed, if it is not empty.
    stream(descriptor from, outlet& to, int rank, unison* with = nullptr, std::string_view sought = {})
        : from_(std::move(from)), to_(&to), with_(with), rank_(rank),
          lines_(with ? std::string{} : fmt::format("[{}] ", rank)),
          sought_(sought.empty() ? std::string{}
                                 : fmt::format("\n{}{}", with ? "" : fmt::format("[{}] ", rank), sought)) {
        if (from_.open()) fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    }

    [[nodiscard]] int get() const noexcept { return from_.get(); }
    [[nodiscard]] bool open() const noexcept { return from_.open(); }
    /// Whether it may be copied: what came before has been written.
    [[nodiscard]] bool ready() const noexcept { return open() && to_->empty(); }
    /// Whether its rank is gone: it holds what was left behind, and then no more.
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    void end() noexcept { ended_ = true; }
    /// Whether a line has come that was sought.
    [[nodiscard]] bool found() const noexcept { return found_; }

    /// Copies what is there now, at most so much that the others get their turn. Closes at the end: when all who could
    /// write are gone, or when the rank is and nothing is there.
    void copy() {
        constexpr int most_pieces = 1024; // a pipe holds 16; more after the end only if somebody else still writes
        std::array<char, 65536> piece;
        const ssize_t got = read(from_.get(), piece.data(), piece.size());
        if (got > 0) pass(lines_.take({piece.data(), static_cast<std::size_t>(got)}));
        const bool dry = got == 0 || (got < 0 && errno != EINTR && (errno != EAGAIN || ended_));
        if (dry || (ended_ && ++pieces_after_end_ > most_pieces)) finish();
    }

private:
    void pass(const std::string& lines) {
        found_ = found_ || (!sought_.empty() && ("\n" + lines).find(sought_) != std::string::npos);
        to_->add(with_ ? with_->take(rank_, lines, unison::clock::now()) : lines);
    }
    void finish() {
        pass(lines_.finish());
        from_.reset();
    }

    descriptor from_;
    outlet* to_;
    unison* with_;
    int rank_;
    line_prefixer lines_;
    std::string sought_; // behind the end of the line before, and with its prefix
    bool found_ = false;
    bool ended_ = false;
    int pieces_after_end_ = 0;
};

} // namespace tutti::tools

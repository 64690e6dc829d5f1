// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::server::detail {

/// What a server knows of the other ones: which are lost, and which have nothing left to do. A server that is idle
/// begins something new only after a death, as the new head of a segment. So what it has said counts for the deaths
/// that it knew of then.
class other_servers {
public:
    other_servers(std::size_t servers, int self) : of_(servers) { at(self).has_ended = true; }

    [[nodiscard]] bool is_lost(int server) const noexcept { return of_[static_cast<std::size_t>(server)].is_lost; }
    /// It listens no more.
    [[nodiscard]] bool is_gone(int server) const noexcept {
        const other& o = of_[static_cast<std::size_t>(server)];
        return o.is_lost || o.has_ended;
    }
    [[nodiscard]] std::vector<std::uint64_t> lost() const {
        std::vector<std::uint64_t> all;
        for (std::size_t s = 0; s < of_.size(); ++s)
            if (of_[s].is_lost) all.push_back(s);
        return all;
    }

    /// It has told what all servers need to have alike.
    void note_sign(int server) noexcept { at(server).has_signed = true; }
    [[nodiscard]] bool has_signed(int server) const noexcept {
        return of_[static_cast<std::size_t>(server)].has_signed;
    }
    void lose(int server) noexcept {
        at(server).is_lost = true;
        has_told_ = false;
    }
    /// It has said that it is idle, and which servers were lost.
    void note_idle(int server, std::span<const std::uint64_t> lost) {
        at(server).is_idle = true;
        at(server).knows_lost.assign(lost.begin(), lost.end());
    }
    void note_end(int server) noexcept { at(server).has_ended = true; }

    /// This server is idle. True if the others do not know that yet.
    [[nodiscard]] bool must_tell() noexcept { return !std::exchange(has_told_, true); }
    /// No other server begins anything any more. Precondition: this one is idle.
    [[nodiscard]] bool all_are_done() const {
        const auto known = lost();
        return std::all_of(of_.begin(), of_.end(), [&](const other& o) {
            return o.is_lost || o.has_ended ||
                   (o.is_idle && std::includes(o.knows_lost.begin(), o.knows_lost.end(), known.begin(), known.end()));
        });
    }

private:
    struct other {
        bool is_lost = false, has_ended = false, has_signed = false, is_idle = false;
        std::vector<std::uint64_t> knows_lost{}; ///< when it was idle
    };
    [[nodiscard]] other& at(int server) noexcept { return of_[static_cast<std::size_t>(server)]; }

    std::vector<other> of_; ///< by server; this one counts as ended
    bool has_told_ = false;
};

} // namespace tutti::training::server::detail

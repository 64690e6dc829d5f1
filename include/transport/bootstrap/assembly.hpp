// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "member.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// Who has come to the rendezvous so far. No I/O.
class assembly {
public:
    explicit assembly(int size) : seats_(static_cast<std::size_t>(size)) {}

    /// Seats a member, or says in words why it may not sit.
    [[nodiscard]] std::optional<std::string> admit(const member& m) {
        const auto who = "rank " + std::to_string(m.rank);
        if (m.size != size())
            return who + " was told of " + std::to_string(m.size) + " ranks, rank 0 of " + std::to_string(size());
        if (m.rank < 0 || m.rank >= size())
            return who + " is not one of the " + std::to_string(size()) + " ranks of this world";
        auto& seat = seats_[static_cast<std::size_t>(m.rank)];
        if (seat)
            return who + " has joined already, from " + seat->host + ", process " + std::to_string(seat->pid) +
                   "; process " + std::to_string(m.pid) + " on " + m.host + " has the same number";
        seat = m;
        ++present_;
        return std::nullopt;
    }

    /// A member went away before everyone had come; its rank may come again.
    void withdraw(int rank) {
        seats_[static_cast<std::size_t>(rank)].reset();
        --present_;
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(seats_.size()); }
    [[nodiscard]] int present() const noexcept { return present_; }
    [[nodiscard]] bool complete() const noexcept { return present_ == size(); }

    [[nodiscard]] std::vector<int> missing() const {
        std::vector<int> all;
        for (int r = 0; r < size(); ++r)
            if (is_missing(r)) all.push_back(r);
        return all;
    }
    [[nodiscard]] bool is_missing(int rank) const {
        return rank >= 0 && rank < size() && !seats_[static_cast<std::size_t>(rank)];
    }

    /// Everyone, by rank. Precondition: complete().
    [[nodiscard]] std::vector<member> members() const {
        std::vector<member> out;
        for (const auto& seat : seats_) out.push_back(*seat);
        return out;
    }

private:
    std::vector<std::optional<member>> seats_;
    int present_ = 0;
};

} // namespace tutti::transport::bootstrap

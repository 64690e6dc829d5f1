// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::bootstrap {

/// The ranks that have come to the rendezvous so far. No I/O.
class roll_call {
public:
    /// Waits for so many ranks.
    explicit roll_call(int size) : seats_(static_cast<std::size_t>(size)), met_(static_cast<std::size_t>(size)) {}

    /// Seats a member, or says in words why it may not sit.
    TUTTI_COLD [[nodiscard]] std::optional<std::string> admit(const member& m) {
        const auto who = "rank " + std::to_string(m.rank);
        if (m.size != size())
            return who + " was told of " + std::to_string(m.size) + " ranks, rank 0 of " + std::to_string(size());
        if (!is_rank(m.rank)) return who + " is not one of the " + std::to_string(size()) + " ranks of this world";
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

    /// A process has had its part as that rank: a seat, or the word that there is none.
    void meet(int rank, std::uint64_t process) {
        if (is_rank(rank)) met_[static_cast<std::size_t>(rank)] = process;
    }
    /// It was the last one of that rank.
    [[nodiscard]] bool has_met(int rank, std::uint64_t process) const {
        return is_rank(rank) && met_[static_cast<std::size_t>(rank)] == process;
    }

    /// How many ranks are awaited in all.
    [[nodiscard]] int size() const noexcept { return static_cast<int>(seats_.size()); }
    /// How many have come.
    [[nodiscard]] int present() const noexcept { return present_; }
    /// All have come.
    [[nodiscard]] bool complete() const noexcept { return present_ == size(); }

    /// The ranks that have not come, ascending.
    [[nodiscard]] std::vector<int> missing() const {
        std::vector<int> all;
        for (int r = 0; r < size(); ++r)
            if (is_missing(r)) all.push_back(r);
        return all;
    }
    /// This rank has not come.
    [[nodiscard]] bool is_missing(int rank) const { return is_rank(rank) && !seats_[static_cast<std::size_t>(rank)]; }

    /// Everyone, by rank. Precondition: complete().
    [[nodiscard]] std::vector<member> members() const {
        std::vector<member> out;
        for (const auto& seat : seats_) out.push_back(*seat);
        return out;
    }

private:
    [[nodiscard]] bool is_rank(int rank) const noexcept { return rank >= 0 && rank < size(); }

    std::vector<std::optional<member>> seats_;
    std::vector<std::optional<std::uint64_t>> met_; // by rank: the process
    int present_ = 0;
};

} // namespace tutti::transport::bootstrap

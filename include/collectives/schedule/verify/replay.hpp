// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../lowering/order.hpp"

#include "../../../base/language.hpp"

namespace tutti::schedule::detail {

/// The bookkeeping of walking a program again when only its order matters, not its values.
class replay {
public:
    constexpr explicit replay(const program& p, const auto& order_at) : p_(p) {
        const auto size = static_cast<std::size_t>(p.size);
        sends_.assign(size * size, -1);
        receives_.assign(size * size, -1);
        for (int r = 0; r < p.size; ++r) {
            orders_.push_back(&order_at(r));
            waits_.push_back(orders_.back()->waits);
            started_.emplace_back(waits_.back().size(), 0);
            for (int i = steps(r) - 1; i >= 0; --i)
                if (const step& s = at(r, i); communicates(s)) head(r, s) = i;
        }
    }

    [[nodiscard]] TUTTI_CONSTEXPR int steps(int r) const {
        return static_cast<int>(p_.ranks[static_cast<std::size_t>(r)].size());
    }
    [[nodiscard]] TUTTI_CONSTEXPR const step& at(int r, int i) const {
        return p_.ranks[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
    }
    /// It is started: it is no further part of a message.
    [[nodiscard]] TUTTI_CONSTEXPR bool begins(int r, int i) const {
        return leads(p_.ranks[static_cast<std::size_t>(r)], static_cast<std::size_t>(i));
    }
    [[nodiscard]] TUTTI_CONSTEXPR bool free(int r, int i) const {
        return waits_[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] == 0;
    }
    [[nodiscard]] constexpr bool started(int r, int i) const {
        return i >= 0 && started_[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)];
    }
    /// The first unmatched send from one rank to another, and the first unmatched receive at the other end; -1: none.
    [[nodiscard]] TUTTI_CONSTEXPR int next_send(int from, int to) const { return sends_[pair(from, to)]; }
    [[nodiscard]] TUTTI_CONSTEXPR int next_receive(int from, int to) const { return receives_[pair(from, to)]; }

    constexpr void start(int r, int i, auto&& freed) {
        started_[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] = 1;
        if (const int next = orders_[static_cast<std::size_t>(r)]->next_on_channel[static_cast<std::size_t>(i)];
            next >= 0)
            release(r, next, freed);
    }
    constexpr void finish(int r, int i, auto&& freed) {
        const order& o = *orders_[static_cast<std::size_t>(r)];
        if (const step& s = at(r, i); communicates(s)) head(r, s) = o.next_on_channel[static_cast<std::size_t>(i)];
        for (auto f = o.first[static_cast<std::size_t>(i)]; f < o.first[static_cast<std::size_t>(i) + 1]; ++f)
            release(r, static_cast<int>(o.followers[f]), freed);
    }

private:
    constexpr void release(int r, int i, auto&& freed) {
        if (--waits_[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] == 0) freed(r, i);
    }
    [[nodiscard]] constexpr std::size_t pair(int from, int to) const {
        return static_cast<std::size_t>(from) * static_cast<std::size_t>(p_.size) + static_cast<std::size_t>(to);
    }
    TUTTI_CONSTEXPR int& head(int r, const step& s) {
        return sends(s) ? sends_[pair(r, s.peer)] : receives_[pair(s.peer, r)];
    }

    const program& p_;
    std::vector<const order*> orders_;
    std::vector<std::vector<std::uint32_t>> waits_;
    std::vector<std::vector<char>> started_;
    std::vector<int> sends_, receives_; ///< by (from, to)
};

} // namespace tutti::schedule::detail

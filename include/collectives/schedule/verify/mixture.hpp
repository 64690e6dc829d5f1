// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fault.hpp"
#include "replay.hpp"

#include "../../../base/language.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tutti::schedule::detail {

/// Walks both modes of every rank at once. A message passes only when both of its ends have started in both modes, so
/// what any rank waits for in either mode, it waits for here. If all steps complete, then so they do when each rank
/// walks the list of one mode, whichever. The reverse need not hold: a circle of waiting that goes through both modes
/// of one rank stops this walk, and no mixture. Both programs must be proven and have the same messages.
class mixture {
public:
    constexpr mixture(const program& apart, const program& in_place, const auto& order_apart,
                      const auto& order_in_place)
        : programs_{&apart, &in_place}, walks_{replay(apart, order_apart), replay(in_place, order_in_place)},
          lent_(static_cast<std::size_t>(apart.size) * static_cast<std::size_t>(apart.size), 0) {
        for (int r = 0; r < apart.size; ++r) {
            orders_[0].push_back(&order_apart(r));
            orders_[1].push_back(&order_in_place(r));
        }
    }

    /// Names a step that never completes, if there is any.
    constexpr finding run() {
        for (std::size_t m = 0; m < 2; ++m)
            for (int r = 0; r < programs_[m]->size; ++r) {
                finished_[m].emplace_back(static_cast<std::size_t>(walks_[m].steps(r)), 0);
                for (int i = 0; i < walks_[m].steps(r); ++i)
                    if (walks_[m].free(r, i)) free_.push_back({m, r, i});
            }
        while (!free_.empty()) {
            const ticket t = free_.back();
            free_.pop_back();
            start(t);
        }
        return stuck();
    }

private:
    struct ticket {
        std::size_t mode;
        int rank, step;
    };

    /// In how many modes the last message of a channel still lies with its sender, until its reader has run.
    [[nodiscard]] TUTTI_CONSTEXPR char& lent(int from, int to) {
        return lent_[static_cast<std::size_t>(from) * static_cast<std::size_t>(programs_[0]->size) +
                     static_cast<std::size_t>(to)];
    }
    [[nodiscard]] TUTTI_CONSTEXPR const step& at(const ticket& t) const { return walks_[t.mode].at(t.rank, t.step); }

    [[nodiscard]] constexpr auto freed(std::size_t mode) {
        return [this, mode](int r, int i) { free_.push_back({mode, r, i}); };
    }
    TUTTI_CONSTEXPR void start(const ticket& t) {
        walks_[t.mode].start(t.rank, t.step, freed(t.mode));
        const step& s = at(t);
        if (sends(s)) return meet(t.rank, s.peer);
        if (receives(s)) return meet(s.peer, t.rank);
        finish(t);
        for (const views::operand& x : orders_[t.mode][static_cast<std::size_t>(t.rank)]->viewed.of(t.step)) {
            const int peer = walks_[t.mode].at(t.rank, x.receive).peer;
            if (--lent(peer, t.rank) > 0) continue;
            end_send(peer, t.rank);
            meet(peer, t.rank);
        }
    }

    /// Moves the next messages of the channel, as many as have started everywhere.
    TUTTI_CONSTEXPR void meet(int from, int to) {
        while (lent(from, to) == 0 && started(from, to)) {
            for (std::size_t m = 0; m < 2; ++m) {
                const int j = walks_[m].next_receive(from, to);
                if (orders_[m][static_cast<std::size_t>(to)]->viewed.reader_of(j) >= 0) ++lent(from, to);
                finish({m, to, j});
            }
            if (lent(from, to) == 0) end_send(from, to);
        }
    }
    [[nodiscard]] constexpr bool started(int from, int to) const {
        for (const replay& walk : walks_)
            if (!walk.started(from, walk.next_send(from, to)) || !walk.started(to, walk.next_receive(from, to)))
                return false;
        return true;
    }
    constexpr void end_send(int from, int to) {
        for (std::size_t m = 0; m < 2; ++m) finish({m, from, walks_[m].next_send(from, to)});
    }

    TUTTI_CONSTEXPR void finish(const ticket& t) {
        finished_[t.mode][static_cast<std::size_t>(t.rank)][static_cast<std::size_t>(t.step)] = 1;
        walks_[t.mode].finish(t.rank, t.step, freed(t.mode));
    }

    [[nodiscard]] constexpr finding stuck() const {
        for (int r = 0; r < programs_[0]->size; ++r)
            for (std::size_t m = 0; m < 2; ++m)
                for (int i = 0; i < walks_[m].steps(r); ++i)
                    if (walks_[m].begins(r, i) &&
                        !finished_[m][static_cast<std::size_t>(r)][static_cast<std::size_t>(i)]) {
                        const step& s = walks_[m].at(r, i);
                        finding f{flaw::deadlock, r, i, communicates(s) ? s.peer : -1};
                        f.in_place = m == 1;
                        f.mixed = true;
                        return f;
                    }
        return {};
    }

    std::array<const program*, 2> programs_; ///< out of place, in place
    std::array<replay, 2> walks_;
    std::array<std::vector<const order*>, 2> orders_;
    std::array<std::vector<std::vector<char>>, 2> finished_;
    std::vector<char> lent_; ///< by (from, to)
    std::vector<ticket> free_;
};

} // namespace tutti::schedule::detail

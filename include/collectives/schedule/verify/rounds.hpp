// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "replay.hpp"

#include "../../../base/language.hpp"

#include <algorithm>
#include <functional>

namespace tutti::schedule::detail {

/// Counts unit-time steps: in one round a rank sends at most one and receives at most one message, the first in its
/// program order that can go. The program must complete without buffering.
class round_counter {
public:
    constexpr round_counter(const program& p, const auto& order_at) : replay_(p, order_at), size_(p.size) {
        open_.assign(static_cast<std::size_t>(size_), std::vector<int>{});
        for (int r = 0; r < size_; ++r)
            for (int i = 0; i < replay_.steps(r); ++i)
                if (replay_.free(r, i)) freed_.push_back({r, i});
    }

    /// Tells each message as `passed(round, from, send, to, receive)` with the steps of its ends, rounds from 1 on, and
    /// each step that does not communicate as `ran(round, rank, step)`, with the round that it follows.
    TUTTI_CONSTEXPR int count(auto&& passed, auto&& ran) {
        int rounds = 0;
        for (settle(rounds, ran); pass_messages(rounds + 1, passed); settle(rounds, ran)) ++rounds;
        return rounds;
    }

private:
    struct ticket {
        int rank, step;
    };

    /// Starts all steps that can start. Local steps take no time.
    constexpr void settle(int round, auto&& ran) {
        const auto freed = [this](int r, int i) { freed_.push_back({r, i}); };
        while (!freed_.empty()) {
            const ticket t = freed_.back();
            freed_.pop_back();
            const step& s = replay_.at(t.rank, t.step);
            replay_.start(t.rank, t.step, freed);
            if (!communicates(s)) {
                ran(round, t.rank, t.step);
                replay_.finish(t.rank, t.step, freed);
            } else if (sends(s)) {
                open(t.rank, t.step);
            }
        }
    }

    /// Keeps a rank's open sends in falling program order, so that the first one is at the end.
    TUTTI_CONSTEXPR void open(int r, int i) {
        auto& list = open_[static_cast<std::size_t>(r)];
        list.insert(std::lower_bound(list.begin(), list.end(), i, std::greater<>{}), i);
    }

    TUTTI_CONSTEXPR bool pass_messages(int round, auto&& passed) {
        std::vector<char> taken(static_cast<std::size_t>(size_), 0);
        std::vector<ticket> done;
        for (int r = 0; r < size_; ++r) {
            auto& list = open_[static_cast<std::size_t>(r)];
            for (auto k = list.size(); k-- > 0;) {
                const int i = list[k], peer = replay_.at(r, i).peer;
                const int j = replay_.next_receive(r, peer);
                if (taken[static_cast<std::size_t>(peer)] || replay_.next_send(r, peer) != i ||
                    !replay_.started(peer, j))
                    continue;
                taken[static_cast<std::size_t>(peer)] = 1;
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
                passed(round, r, i, peer, j);
                done.push_back({r, i});
                done.push_back({peer, j});
                break;
            }
        }
        for (const ticket& t : done) replay_.finish(t.rank, t.step, [this](int r, int i) { freed_.push_back({r, i}); });
        return !done.empty();
    }

    replay replay_;
    int size_;
    std::vector<std::vector<int>> open_;
    std::vector<ticket> freed_;
};

/// The rounds alone. Apart from the class, where clang 16 would not take it for a constant.
[[nodiscard]] constexpr int rounds_among(const program& p, const auto& order_at) {
    return round_counter(p, order_at).count([](int, int, int, int, int) {}, [](int, int, int) {});
}

/// Whether the program also completes when each rank walks its list strictly in order, with posted sends and blocking
/// receives that are acknowledged at once. Blocks of a GPU have an order of their own: see
/// kernels/engine/device_order.hpp.
[[nodiscard]] TUTTI_CONSTEXPR bool completes_in_order(const program& p, const auto& order_at) {
    replay walk(p, order_at);
    std::vector<int> at(static_cast<std::size_t>(p.size), 0), again;
    const auto nothing = [](int, int) {};
    for (int r = p.size - 1; r >= 0; --r) again.push_back(r);
    while (!again.empty()) {
        const int r = again.back();
        again.pop_back();
        int& i = at[static_cast<std::size_t>(r)];
        for (; i < walk.steps(r) && (walk.free(r, i) || !walk.begins(r, i)); ++i) {
            if (!walk.begins(r, i)) continue;
            const step& s = walk.at(r, i);
            if (receives(s)) {
                const int j = walk.next_send(s.peer, r);
                if (!walk.started(s.peer, j)) break;
                walk.start(r, i, nothing);
                walk.finish(s.peer, j, nothing);
                walk.finish(r, i, nothing);
                again.push_back(s.peer);
                continue;
            }
            walk.start(r, i, nothing);
            if (sends(s))
                again.push_back(s.peer);
            else
                walk.finish(r, i, nothing);
        }
    }
    for (int r = 0; r < p.size; ++r)
        if (at[static_cast<std::size_t>(r)] < walk.steps(r)) return false;
    return true;
}

} // namespace tutti::schedule::detail

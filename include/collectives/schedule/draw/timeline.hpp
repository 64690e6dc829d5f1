// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/sort.hpp"
#include "contributions.hpp"

#include "../../../base/error.hpp"
#include "../verify.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tutti::schedule::draw {

/// Larger pictures are not legible.
inline constexpr int most_ranks = 64;
/// More messages are not legible either.
inline constexpr std::size_t most_messages = 10000;

/// A message, or one of several parts of it.
struct message {
    int round = 0;        ///< from 1
    int from = 0;         ///< the sending rank
    int to = 0;           ///< the receiving rank
    int first = 0;        ///< the first chunk id
    int count = 0;        ///< how many chunks
    bool reduced = false; ///< the receiver reduces it into its own
    bool result = false;  ///< nothing is left to reduce into it
    int part = 0;         ///< among those of one message, in its order
    friend bool operator==(const message&, const message&) = default;
};

/// A reduction of data that the rank has already. Data reduced on arrival are part of their message.
struct reduction {
    int round = 0;    ///< the one that it follows; 0: it comes before all
    int rank = 0;     ///< the rank that reduces
    int first = 0;    ///< the first chunk id
    int count = 0;    ///< how many chunks
    int operands = 2; ///< how many operands are reduced in one pass
    friend bool operator==(const reduction&, const reduction&) = default;
};

/// The messages and reductions of each round, where a rank sends at most one and receives at most one message a round
/// (the rounds of `cost`).
struct timeline {
    operation what = operation::allreduce; ///< the operation
    int size = 1;                          ///< the number of ranks
    int chunks = 1;                        ///< chunk ids are [0, chunks)
    int rounds = 0;                        ///< how many rounds there are
    std::vector<message> messages;         ///< by round, in it by sender; those of several parts once for each
    std::vector<reduction> reductions;     ///< by round, in it by rank
};

namespace detail {

inline void require_drawable(const program& p) {
    const auto refuse = [](std::string detail, std::string remedy) {
        reject("drawing of a schedule", std::move(detail), std::move(remedy));
    };
    if (p.size > most_ranks)
        refuse(std::to_string(p.size) + " ranks are too many to draw", "take at most " + std::to_string(most_ranks));
    std::size_t messages = 0;
    for (const auto& steps : p.ranks)
        messages += static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), sends));
    if (messages > most_messages)
        refuse(std::to_string(messages) + " messages are too many to draw",
               "take fewer ranks or segments: at most " + std::to_string(most_messages) + " messages");
    if (const proof found = (verify)(p); !found.proven) refuse("it is wrong: " + found.message(), "mend it");
}

} // namespace detail

/// Throws tutti::error(invalid_argument) if the program is too large to be drawn, or is not proven.
/// Costs a proof and as much again.
[[nodiscard]] inline timeline timeline_of(const program& p) {
    detail::require_drawable(p);
    timeline t{p.what, p.size, p.chunks, 0, {}, {}};
    std::vector<order> orders;
    for (int r = 0; r < p.size; ++r) orders.push_back(order_of(p, r));
    const auto step_at = [&](int rank, int i) -> const step& {
        return p.ranks[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)];
    };
    detail::contributions held(p);
    const auto passed = [&](int round, int from, int i, int to, int j) {
        for (int part = 0;; ++i, ++j, ++part) {
            const step &sent = step_at(from, i), &received = step_at(to, j);
            t.messages.push_back({round, from, to, sent.from.first, sent.from.count,
                                  received.what == action::receive_reduce, held.complete(from, sent.from), part});
            held.deliver(from, sent, to, received);
            if (!sent.joined) break;
        }
    };
    const auto ran = [&](int round, int rank, int i) {
        const step& s = step_at(rank, i);
        held.run(rank, s);
        if (s.what == action::copy) return;
        t.reductions.push_back({round, rank, s.to.first, s.to.count, s.what == action::reduce ? 2 : sources(s)});
    };
    const auto order_at = [&](int r) -> const order& { return orders[static_cast<std::size_t>(r)]; };
    t.rounds = schedule::detail::round_counter(p, order_at).count(passed, ran);
    tutti::detail::sort_stably(t.reductions, [](const reduction& a, const reduction& b) {
        return a.round != b.round ? a.round < b.round : a.rank < b.rank;
    });
    return t;
}

} // namespace tutti::schedule::draw

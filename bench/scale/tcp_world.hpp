// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ranks.hpp"

#include <collectives/collectives.hpp>
#include <transport/tcp.hpp>

#include "../../tests/support/identity.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

namespace scale {

/// What a world over TCP costs whose ranks are threads of one process, over real sockets of 127.0.0.1.
struct tcp_figures {
    int ranks = 0;
    double start_s = 0;                     ///< until the last rank has joined
    double connect_s = 0;                   ///< until all have sent to the last rank, and it has received from all
    double connected_s = 0;                 ///< the same again
    int failed = 0;                         ///< calls of both that failed
    double leave_s = 0;                     ///< until the last rank is gone
    double zero_mib = 0, zero_most_mib = 0; ///< heap of rank 0 when all have joined, and at most until then
    double other_kib = 0;                   ///< heap of each other rank then
    double judge_s = 0;                     ///< from the deadline until the last rank has been told who is absent
    std::string trouble;                    ///< why the rest is missing
    int right = 0, wrong = 0;               ///< ranks that were told the right one, and another or none
};

inline constexpr std::chrono::seconds long_enough{60}, judged_after{3};

[[nodiscard]] inline tutti::communicator<tutti::transport::tcp> join(int rank, int size,
                                                                     const tutti::test::reserved_port& at) {
    auto me = tutti::test::identity(rank, size, at);
    me.timeout = long_enough;
    tutti::communicator world{tutti::transport::tcp{std::move(me)}};
    world.default_deadline(long_enough);
    return world;
}

/// The last rank receives from all others. False if this rank cannot do its part.
[[nodiscard]] inline bool all_to_one(const tutti::communicator<tutti::transport::tcp>& world) {
    const int one = 1;
    int sum = 0;
    try {
        world.reduce(std::span(&one, 1), std::span(&sum, 1), world.size() - 1, tutti::sum, tutti::algorithm::naive{});
    } catch (const tutti::error&) {
        return false;
    }
    return world.rank() != world.size() - 1 || sum == world.size();
}

/// Starts, connects all to one, does it again, and leaves.
inline void live(int size, tcp_figures& f) {
    constexpr double kib = 1024, mib = kib * kib;
    const tutti::test::reserved_port at;
    ranks all(size);
    span_of_all start, connect, again, leave;
    std::atomic<int> failed{0};
    const auto before_zero = of(owner::rank_zero).now.load(), before_other = of(owner::other_rank).now.load();
    of(owner::rank_zero).most = before_zero;
    all.run([&](int rank) {
        all.meet();
        start.begin();
        std::optional world{join(rank, size, at)};
        start.end();
        all.meet([&] {
            f.zero_mib = static_cast<double>(of(owner::rank_zero).now - before_zero) / mib;
            f.zero_most_mib = static_cast<double>(of(owner::rank_zero).most - before_zero) / mib;
            f.other_kib = static_cast<double>(of(owner::other_rank).now - before_other) / kib / (size - 1);
        });
        for (span_of_all* const round : {&connect, &again}) {
            all.meet();
            round->begin();
            if (!all_to_one(*world)) ++failed;
            round->end();
        }
        all.meet();
        leave.begin();
        world.reset();
        leave.end();
    });
    f.failed = failed;
    f.start_s = start.seconds();
    f.connect_s = connect.seconds();
    f.connected_s = again.seconds();
    f.leave_s = leave.seconds();
}

/// All but one rank call; the deadline passes; all are told who did not come.
inline void judge(int size, tcp_figures& f) {
    const tutti::test::reserved_port at;
    ranks all(size);
    const int absent = size / 2;
    span_of_all judged;
    std::atomic<int> right{0}, wrong{0};
    all.run([&](int rank) {
        const auto world = join(rank, size, at);
        int x = 1;
        world.allreduce(std::span(&x, 1), tutti::sum, tutti::algorithm::naive{}); // connects all with rank 0
        all.meet();
        if (rank != absent) {
            judged.begin();
            try {
                world.with_deadline(judged_after).allreduce(std::span(&x, 1), tutti::sum, tutti::algorithm::naive{});
                ++wrong;
            } catch (const tutti::error& e) {
                judged.end();
                ++(e.facts().peer == absent ? right : wrong);
            }
        }
        all.meet();
    });
    f.judge_s = judged.seconds() - std::chrono::duration<double>(judged_after).count();
    f.right = right, f.wrong = wrong;
}

} // namespace scale

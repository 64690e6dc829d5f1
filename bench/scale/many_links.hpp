// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tcp_world.hpp"

#include <ctime>

namespace scale {

/// Time and processor time of one of many barriers, in microseconds.
struct barrier_cost {
    double us = 0, cpu_us = 0;
};

[[nodiscard]] inline double processor_seconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

[[nodiscard]] inline barrier_cost cost_of_barrier(const tutti::communicator<tutti::transport::tcp>& pair) {
    constexpr int before = 500, measured = 20'000;
    for (int i = 0; i < before; ++i) pair.barrier();
    const auto began = clock::now();
    const double worked = processor_seconds();
    for (int i = 0; i < measured; ++i) pair.barrier();
    return {1e6 * std::chrono::duration<double>(clock::now() - began).count() / measured,
            1e6 * (processor_seconds() - worked) / measured};
}

/// Of rank 0, when ranks 0 and 1 meet in barriers and both have a connection to each of so many others, which sleep.
[[nodiscard]] inline barrier_cost barrier_beside(int links) {
    const int size = links + 2;
    const tutti::test::reserved_port at;
    ranks all(size);
    barrier_cost cost;
    all.run([&](int rank) {
        const auto world = join(rank, size, at);
        for (const int root : {0, 1}) {
            const int one = 1;
            int sum = 0;
            world.reduce(std::span(&one, 1), std::span(&sum, 1), root, tutti::sum, tutti::algorithm::naive{});
        }
        const auto pair = world.split(rank < 2 ? 0 : 1);
        all.meet();
        if (rank < 2) {
            const auto mine = cost_of_barrier(pair);
            if (rank == 0) cost = mine;
        }
        all.meet();
    });
    return cost;
}

} // namespace scale

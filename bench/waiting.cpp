// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What waiting costs two ranks that are not in step, and what it takes to part two that share a core:
//
//     build/tools/tutti run -n 2 -- build/bench/waiting [shared_memory|tcp]
//
// Rank 1 computes before an allreduce of 8 bytes, and rank 0 waits in it. The first table has rank 1's own call, the
// mean of the 20 calls behind it, and the processor time that rank 0 spends in its call: medians over all turns, but
// for the processor time, which is the mean. The second one begins with both ranks on one processor, free to use the
// others: how long calls are slow.

#include <collectives/collectives.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

#include <sched.h>
#include <time.h>

namespace {

double now_us() {
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double, std::micro>(clock::now().time_since_epoch()).count();
}
double processor_us() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) * 1e-3;
}
double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

template <class World>
double us_of_calls(const World& world, int calls) {
    std::array<float, 2> data{1, 2};
    const double begin = now_us();
    for (int i = 0; i < calls; ++i) world.allreduce(data, tutti::sum);
    return now_us() - begin;
}

template <class World>
void wait_for_a_late_rank(const World& world, double late_us) {
    constexpr int behind = 20;
    const int turns = std::clamp(static_cast<int>(1e6 / late_us), 3, 300);
    std::vector<double> own, after;
    double used = 0;
    for (int turn = -2; turn < turns; ++turn) { // the first ones warm up
        if (world.rank() == 1)
            for (const double until = now_us() + late_us; now_us() < until;) {
            }
        const double before = processor_us();
        const double took = us_of_calls(world, 1);
        const double spent = processor_us() - before;
        const double mean = us_of_calls(world, behind) / behind;
        if (turn < 0) continue;
        own.push_back(took);
        after.push_back(mean);
        used += spent;
    }
    // The waiting rank's time goes to rank 1, which has the others.
    const std::array<double, 1> mine{used / turns};
    std::array<double, 2> all{};
    world.allgather(mine, all);
    if (world.rank() == 1)
        std::printf("| %g us | %.1f | %.2f | %.0f | %.1f %% |\n", late_us, median(own), median(after), all[0],
                    100 * all[0] / late_us);
}

/// Milliseconds until calls are fast, from a start on one processor.
template <class World>
double part(const World& world) {
    constexpr int batch = 64;
    constexpr double fast_us = 4, patience_us = 1e5;
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
    us_of_calls(world, batch);
    sched_setaffinity(0, sizeof all, &all);
    const double begin = now_us();
    // Rank 0 decides for both.
    for (bool slow = true; slow;) {
        slow = us_of_calls(world, batch) > batch * fast_us && now_us() - begin < patience_us;
        slow = world.broadcast(static_cast<int>(slow), 0) != 0;
    }
    return (now_us() - begin) * 1e-3;
}

template <class Transport>
int measure() {
    const tutti::communicator world{Transport::from_environment()};
    if (world.size() != 2) {
        std::fputs("start two ranks: build/tools/tutti run -n 2 -- build/bench/waiting\n", stderr);
        return 2;
    }
    us_of_calls(world, 1000);
    if (world.rank() == 1)
        std::puts("| late by | late call, us | behind it, us | rank 0's processor time, us | of the wait |\n"
                  "|---|---|---|---|---|");
    for (const double late_us : {50., 300., 1e3, 5e3, 20e3, 100e3, 1e6, 5e6}) wait_for_a_late_rank(world, late_us);
    constexpr int starts = 25;
    std::vector<double> apart;
    for (int i = 0; i < starts; ++i) apart.push_back(part(world));
    if (world.rank() == 1)
        std::printf("\n%d starts on one processor: calls are fast after %.2f ms in the median, %.2f at most\n", starts,
                    median(apart), *std::max_element(apart.begin(), apart.end()));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view over = argc > 1 ? argv[1] : "shared_memory";
    if (over == "shared_memory") return measure<tutti::transport::shared_memory>();
    if (over == "tcp") return measure<tutti::transport::tcp>();
    std::fputs("waiting [shared_memory|tcp]\n", stderr);
    return 2;
}

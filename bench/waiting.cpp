// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What waiting costs two ranks that are not in step:
//
//     build/tools/tutti run -n 2 -- build/bench/waiting [shared_memory|tcp]
//     mpirun -n 2 build/bench/waiting                                          # the same, bound to a core each
//
// Rank 1 computes before an allreduce of 8 bytes, and rank 0 waits in it. The table has rank 1's own call, the mean of
// the 20 calls behind it, and the processor time that rank 0 spends in its call: medians over all turns, but for the
// processor time, which is the mean.
//
// The kernel may start both ranks on one core while another one idles. How long calls are slow then, one start says:
//
//     for i in $(seq 25); do build/tools/tutti run -n 2 -- build/bench/waiting start; done

#include <collectives/collectives.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

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

/// From the first call on, for 100 ms.
template <class World>
void tell_start(const World& world) {
    constexpr int batch = 64;
    constexpr double slow_us = 4, time_us = 1e5;
    const double begin = now_us();
    double slow = 0;
    // Rank 0 decides for both.
    for (bool more = true; more;) {
        const double took = us_of_calls(world, batch);
        if (took > batch * slow_us) slow += took;
        more = world.broadcast(static_cast<int>(now_us() - begin < time_us), 0) != 0;
    }
    if (world.rank() == 0)
        std::printf("calls took more than %g us each for %.2f of the first %g ms\n", slow_us, slow * 1e-3,
                    time_us * 1e-3);
}

template <class Transport>
int measure(bool start) {
    const tutti::communicator world{Transport::from_environment()};
    if (world.size() != 2) {
        std::fputs("start two ranks: build/tools/tutti run -n 2 -- build/bench/waiting\n", stderr);
        return 2;
    }
    if (start) return tell_start(world), 0;
    us_of_calls(world, 1000);
    if (world.rank() == 1)
        std::puts("| late by | late call, us | behind it, us | rank 0's processor time, us | of the wait |\n"
                  "|---|---|---|---|---|");
    for (const double late_us : {50., 300., 1e3, 5e3, 20e3, 100e3, 1e6, 5e6}) wait_for_a_late_rank(world, late_us);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "shared_memory";
    if (what == "tcp") return measure<tutti::transport::tcp>(false);
    if (what == "shared_memory" || what == "start") return measure<tutti::transport::shared_memory>(what == "start");
    std::fputs("waiting [shared_memory|tcp|start]\n", stderr);
    return 2;
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/shared_memory.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

/// The best of several calls.
template <class Communicator, class Buffer>
double milliseconds(const Communicator& world, Buffer& data) {
    double best = 1e9;
    for (int k = 0; k < 10; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        world.allreduce(data, tutti::sum);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count());
    }
    return world.allreduce(best, tutti::maximum); // of the slowest rank
}

int main() {
    tutti::communicator world{tutti::transport::shared_memory::from_environment()};
    constexpr std::size_t count = 1'000'000;

    std::vector<float> plain(count);
    auto shared = world.allocate<float>(count); // on all ranks; peers reduce it where it lies

    const double copied = milliseconds(world, plain), in_place = milliseconds(world, shared);
    if (world.rank() == 0) std::printf("plain %.2f ms, symmetric %.2f ms\n", copied, in_place);
}

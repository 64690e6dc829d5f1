// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The other tests link the compiled library. This program is made of headers alone, in two units: it links, and its
// ranks compute the right sum. Exits 0 if so.
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

/// In the other unit: an allgather over the same transport.
std::vector<int> gathered(const tutti::communicator<tutti::transport::memory>& world);
/// A world of one rank over TCP does what it is to do.
bool has_a_network();

namespace {

std::atomic<int> right{0};

void work(const std::shared_ptr<tutti::transport::memory_world>& fabric, int rank) {
    const tutti::communicator world{tutti::transport::memory{fabric, rank}};
    std::vector<float> data(1000, static_cast<float>(rank + 1));
    world.allreduce(data, tutti::sum);
    if (data == std::vector<float>(1000, 3) && gathered(world) == std::vector<int>{0, 1}) ++right;
}

} // namespace

int main() {
    ::setenv("TUTTI_RANK", "0", 1);
    ::setenv("TUTTI_SIZE", "1", 1);
    const auto fabric = tutti::transport::memory_world::create(2);
    std::thread other(work, fabric, 1);
    work(fabric, 0);
    other.join();
    return right == 2 && has_a_network() ? 0 : 1;
}

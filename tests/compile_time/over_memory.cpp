// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The first program that a user writes, with ranks that are threads.
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <thread>
#include <vector>

namespace {

void work(std::shared_ptr<tutti::transport::memory_world> fabric, int rank) {
    tutti::communicator world{tutti::transport::memory{fabric, rank}};
    std::vector<float> gradient(1'000'000, static_cast<float>(world.rank()));

    world.allreduce(gradient, tutti::sum);
    world.allreduce(gradient, tutti::sum, tutti::algorithm::ring{});
}

} // namespace

int main() {
    const auto fabric = tutti::transport::memory_world::create(2);
    std::thread other(work, fabric, 1);
    work(fabric, 0);
    other.join();
}

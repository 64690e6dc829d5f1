// expect: tutti: the buffers of a non-blocking or prepared call must outlive it: do not pass a temporary
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> in(3), out(12);
#ifdef CONTROL
    world.prepare().allgather(in, out).run();
#else
    world.prepare().allgather(in, std::vector<int>(12)).run();
#endif
}

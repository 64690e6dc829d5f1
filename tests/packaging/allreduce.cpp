// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A program outside of the repository: an allreduce of two threads. Beside it lie folders named as those of the
// library.
#include <base/mine.hpp>
#include <collectives/collectives.hpp>
#include <transport/contract/transport.hpp>
#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/memory.hpp>

#include <functional>
#include <thread>

static_assert(mine::base == 1 && mine::collectives == 2 && mine::transport == 3); // not the library's headers

int main() {
    const auto fabric = tutti::transport::memory_world::create(2);
    const auto rank = [&](int r, double& sum) {
        tutti::communicator world{tutti::transport::memory{fabric, r}};
        sum = world.allreduce(r + 1.0, tutti::sum, tutti::algorithm::ring{});
    };
    double first = 0, second = 0;
    std::thread other{rank, 1, std::ref(second)};
    rank(0, first);
    other.join();
    return first == 3 && second == 3 ? 0 : 1;
}

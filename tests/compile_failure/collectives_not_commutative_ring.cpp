// expect: tutti: this algorithm does not keep rank order, which a non_commutative operator needs
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> data(3);
    const tutti::non_commutative first{[](int a, int) noexcept { return a; }};
#ifdef CONTROL
    world.allreduce(data, first, tutti::algorithm::butterfly{});
#else
    world.allreduce(data, first, tutti::algorithm::ring{});
#endif
}

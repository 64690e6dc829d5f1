// expect: tutti: no reduce_scatter keeps rank order, which a non_commutative operator needs: take allreduce
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> in(4), out(1);
#ifdef CONTROL
    const auto first = [](int a, int b) noexcept { return a * b; };
#else
    const tutti::non_commutative first{[](int a, int) noexcept { return a; }};
#endif
    world.reduce_scatter(in, out, first);
}

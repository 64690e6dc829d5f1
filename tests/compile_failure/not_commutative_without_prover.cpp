// expect: a non_commutative operator needs #include <tutti/collectives/algorithm/preserves_order.hpp>
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>
#ifdef CONTROL
#include <collectives/algorithm/preserves_order.hpp>
#endif

void call(const tutti::communicator<tutti::transport::memory>& world) {
    (void)world.allreduce(3, tutti::non_commutative{[](int a, int) noexcept { return a; }});
}

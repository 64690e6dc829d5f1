// expect: tutti: hierarchical needs a local algorithm that has both reduce_scatter and allgather
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

#ifdef CONTROL
using local = tutti::algorithm::ring;
#else
using local = tutti::algorithm::butterfly;
#endif

int main() {
    return tutti::algorithm::hierarchical<local, tutti::algorithm::ring>{2}.chunks(
               tutti::algorithm::operation::allreduce, 4) == 0;
}

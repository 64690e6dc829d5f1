// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/allreduce.hpp>

#include "collectives/cross_product.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

using namespace tutti::test;
using tutti::algorithm::any;

namespace {

void check_allreduce(communicator& world, const any& how, std::size_t count) {
    const auto name = in_words("allreduce", how, world, count);
    guarded in(count), out(count);
    in.fill(weight(world.rank()));
    world.allreduce(in.data(), out.data(), tutti::sum, how);
    out.expect_filled(total_weight(world.size()), name);
    in.expect_filled(weight(world.rank()), name + ", the input is not written");
    world.allreduce(in.data(), tutti::sum, how);
    in.expect_filled(total_weight(world.size()), name + " in place");
}

} // namespace

TEST_CASE("every algorithm reduces to all ranks, on every number of ranks, for every count") {
    for_all(tutti::schedule::operation::allreduce, check_allreduce);
}

TEST_CASE("hierarchical takes nodes of every size, the last one with fewer ranks too") {
    using namespace tutti::algorithm;
    for (const int size : {2, 3, 4, 5, 7, 8, 12}) {
        if (threads_watched && size > 5) continue; // more of the same threads
        run_world(size, [&](communicator& world) {
            for (int per_node = 1; per_node <= size + 1; ++per_node)
                for (const std::size_t count : {std::size_t{1}, std::size_t{1000}}) {
                    check_allreduce(world, hierarchical<ring, ring>{per_node}, count);
                    check_allreduce(world, hierarchical<halving_doubling, butterfly>{per_node}, count);
                    check_allreduce(world, hierarchical<ring, double_binary_tree>{per_node}, count);
                }
        });
    }
}

TEST_CASE("large data are cut into segments where that pays") {
    for (const int size : {2, 4, 5}) {
        if (threads_watched && size != 4) continue;
        run_world(size, [](communicator& world) {
            for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2))
                check_allreduce(world, how, threads_watched ? 270'001 : 700'001);
        });
    }
}

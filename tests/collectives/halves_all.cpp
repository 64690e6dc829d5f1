// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/allgather.hpp>
#include <collectives/broadcast.hpp>
#include <collectives/reduce.hpp>
#include <collectives/reduce_scatter.hpp>

#include "collectives/cross_product.hpp"
#include "support/catch.hpp"

using namespace tutti::test;
using tutti::algorithm::any;
using tutti::schedule::operation;

namespace {

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

void check_reduce_scatter(communicator& world, const any& how, std::size_t count) {
    const auto name = in_words("reduce_scatter", how, world, count);
    const std::size_t first = index(world.rank()) * count;
    guarded in(count * index(world.size())), out(count);
    in.fill(weight(world.rank()));
    world.reduce_scatter(in.data(), out.data(), tutti::sum, how);
    out.expect_filled(total_weight(world.size()), name, first);
    in.expect_filled(weight(world.rank()), name + ", the input is not written");
    const auto own = in.data().subspan(first, count);
    world.reduce_scatter(in.data(), own, tutti::sum, how);
    for (std::size_t i = 0; i < count; ++i)
        if (own[i] != total_weight(world.size()) * pattern(first + i)) expect(false, name + " in place");
}

void check_allgather(communicator& world, const any& how, std::size_t count) {
    const auto name = in_words("allgather", how, world, count);
    const std::size_t first = index(world.rank()) * count;
    guarded in(count), out(count * index(world.size())), both(count * index(world.size()));
    in.fill(7, first);
    world.allgather(in.data(), out.data(), how);
    out.expect_filled(7, name);
    in.expect_filled(7, name + ", the input is not written", first);
    const auto own = both.data().subspan(first, count);
    for (std::size_t i = 0; i < count; ++i) own[i] = 7 * pattern(first + i);
    world.allgather(own, both.data(), how);
    both.expect_filled(7, name + " in place");
}

void check_reduce(communicator& world, const any& how, std::size_t count) {
    for (const int root : roots_of(world.size())) {
        const auto name = in_words("reduce", how, world, count) + " to " + std::to_string(root);
        const bool here = world.rank() == root;
        guarded in(count), out(here ? count : 0);
        in.fill(weight(world.rank()));
        world.reduce(in.data(), out.data(), root, tutti::sum, how);
        if (here) out.expect_filled(total_weight(world.size()), name);
        in.expect_filled(weight(world.rank()), name + ", the input is not written");
        world.reduce(in.data(), here ? in.data() : std::span<number>{}, root, tutti::sum, how);
        in.expect_filled(here ? total_weight(world.size()) : weight(world.rank()), name + " in place");
    }
}

void check_broadcast(communicator& world, const any& how, std::size_t count) {
    for (const int root : roots_of(world.size())) {
        guarded data(count);
        data.fill(weight(world.rank()));
        world.broadcast(data.data(), root, how);
        data.expect_filled(weight(root), in_words("broadcast", how, world, count) + " from " + std::to_string(root));
    }
}

} // namespace

TEST_CASE("every algorithm reduces to shards, on every number of ranks, for every count") {
    for_all(operation::reduce_scatter, check_reduce_scatter);
}
TEST_CASE("every algorithm gathers to all ranks, on every number of ranks, for every count") {
    for_all(operation::allgather, check_allgather);
}
TEST_CASE("every algorithm reduces to every root, on every number of ranks, for every count") {
    for_all(operation::reduce, check_reduce);
}
TEST_CASE("every algorithm broadcasts from every root, on every number of ranks, for every count") {
    for_all(operation::broadcast, check_broadcast);
}

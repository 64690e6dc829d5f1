// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/selection.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <string>

using namespace tutti::algorithm;
using tutti::model::choose;
using tutti::model::topology;
using tutti::schedule::operation;
using tutti::transport::medium;

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * 1024;

topology nodes_of(int ranks_per_node, int size) { return {size, ranks_per_node, medium::memory, medium::network}; }

std::string chosen(std::size_t bytes, const topology& on, bool commutative = true) {
    return std::string(choose(operation::allreduce, bytes, on, commutative).how.name());
}

} // namespace

TEST_CASE("several nodes with several ranks each take a hierarchical allreduce of their ranks per node") {
    for (const std::size_t bytes : {16 * KiB, 256 * KiB, 64 * MiB})
        for (const int nodes : {2, 3, 4, 7})
            for (const int g : {2, 3, 4, 8}) {
                const any how = choose(operation::allreduce, bytes, nodes_of(g, g * nodes)).how;
                CAPTURE(bytes, nodes, g, std::string(how.name()));
                CHECK(how.name().substr(0, 13) == "hierarchical:");
                CHECK(how.id() == by_name(how.name(), g).id());
            }
}

TEST_CASE("levels take halves where their sizes are powers of two, else rings, and butterflies for little shards") {
    CHECK(chosen(MiB, nodes_of(4, 8)) == "hierarchical:halving_doubling:halving_doubling");
    CHECK(chosen(MiB, nodes_of(4, 12)) == "hierarchical:halving_doubling:ring");
    CHECK(chosen(MiB, nodes_of(4, 7)) == "hierarchical:halving_doubling:halving_doubling");
    CHECK(chosen(MiB, nodes_of(3, 6)) == "hierarchical:ring:ring");
    CHECK(chosen(64 * KiB, nodes_of(4, 8)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(64 * KiB, nodes_of(3, 9)) == "hierarchical:ring:ring");
    CHECK(chosen(48 * KiB, nodes_of(3, 9)) == "hierarchical:halving_doubling:butterfly");
}

TEST_CASE("very little data goes by a butterfly over all ranks if that crosses between nodes as rarely") {
    CHECK(chosen(8, nodes_of(2, 4)) == "butterfly");
    CHECK(chosen(KiB, nodes_of(4, 16)) == "butterfly");
    CHECK(chosen(KiB + 1, nodes_of(4, 16)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(8, nodes_of(3, 6)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(8, nodes_of(2, 6)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(8, nodes_of(2, 7)) == "hierarchical:halving_doubling:butterfly");
}

TEST_CASE("one node, one rank a node, and nodes that are no blocks of ranks are chosen for as before") {
    for (const std::size_t bytes : {std::size_t{8}, 16 * KiB, 16 * KiB + 1, 4 * MiB})
        for (const int size : {1, 2, 3, 6, 8}) {
            CAPTURE(bytes, size);
            const std::string flat = chosen(bytes, topology{size});
            CHECK(chosen(bytes, topology{size, size, medium::network, medium::network}) == flat);
            CHECK(flat.substr(0, 12) != "hierarchical");
            CHECK(chosen(bytes, nodes_of(1, size)).substr(0, 12) != "hierarchical");
        }
}

TEST_CASE("operands that may not change places keep a schedule that keeps their order, however many nodes") {
    for (const std::size_t bytes : {std::size_t{8}, 64 * KiB, 4 * MiB})
        for (const int g : {2, 3, 4}) {
            const any how = choose(operation::allreduce, bytes, nodes_of(g, 3 * g), false).how;
            CHECK(how.preserves_order(operation::allreduce, 3 * g, 0));
        }
}

TEST_CASE("every choice has a schedule for the operation") {
    for (const operation o : tutti::schedule::operations)
        for (const std::size_t bytes : {std::size_t{0}, 16 * KiB, MiB, 64 * MiB})
            for (const int size : {1, 2, 5, 8})
                for (const int g : {1, 2, 3, 8})
                    CHECK(choose(o, bytes, nodes_of(g < size ? g : size, size)).how.offers(o));
}

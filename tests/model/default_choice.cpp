// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/choice/default_choice.hpp>
#include <collectives/model/candidates.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"

#include <cstddef>
#include <string>
#include <vector>

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
    for (const std::size_t bytes : {16 * KiB, 256 * KiB, 2 * MiB})
        for (const int nodes : {2, 3, 4, 7})
            for (const int g : {2, 3, 4, 8}) {
                const any how = choose(operation::allreduce, bytes, nodes_of(g, g * nodes)).how;
                CAPTURE(bytes, nodes, g, std::string(how.name()));
                CHECK(how.name().substr(0, 13) == "hierarchical:");
                CHECK(how.id() == by_name(how.name(), g).id());
            }
}

TEST_CASE("levels exchange little shards in the fewest rounds, then straight, and long ones go around a ring") {
    CHECK(chosen(32 * KiB, nodes_of(4, 16)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(32 * KiB + 4, nodes_of(4, 16)) == "hierarchical:halving_doubling:parameter_server");
    CHECK(chosen(128 * KiB, nodes_of(8, 1024)) == "hierarchical:halving_doubling:halving_doubling");
    CHECK(chosen(4 * MiB, nodes_of(8, 1024)) == "hierarchical:halving_doubling:parameter_server");
    CHECK(chosen(512 * KiB, nodes_of(8, 3072)) == "hierarchical:halving_doubling:halving_doubling");
    CHECK(chosen(8 * MiB, nodes_of(8, 3072)) == "hierarchical:halving_doubling:parameter_server");
    CHECK(chosen(16 * MiB - 16, nodes_of(4, 16)) == "hierarchical:halving_doubling:parameter_server");
    CHECK(chosen(16 * MiB, nodes_of(4, 16)) == "ring");
    CHECK(chosen(MiB, nodes_of(3, 6)) == "hierarchical:ring:ring");
    CHECK(chosen(48 * KiB, nodes_of(3, 9)) == "hierarchical:ring:ring");
    CHECK(chosen(24 * KiB, nodes_of(3, 9)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(64 * KiB + 4, nodes_of(4, 7)) == "ring");
    CHECK(chosen(64 * KiB, nodes_of(4, 7)) == "hierarchical:halving_doubling:butterfly");
}

TEST_CASE("very little data goes by a butterfly over all ranks, of a larger radix where nodes are many") {
    CHECK(chosen(8, nodes_of(2, 4)) == "butterfly");
    CHECK(chosen(64, nodes_of(4, 16)) == "butterfly");
    CHECK(chosen(68, nodes_of(4, 16)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(64, nodes_of(4, 20)) == "butterfly_of");
    CHECK(chosen(68, nodes_of(4, 20)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(8, nodes_of(3, 6)) == "hierarchical:halving_doubling:butterfly");
    CHECK(chosen(8, nodes_of(2, 7)) == "hierarchical:halving_doubling:butterfly");
}

TEST_CASE("one node, one rank a node, and nodes that are no blocks of ranks are chosen for by what is between ranks") {
    for (const std::size_t bytes : {std::size_t{8}, 16 * KiB, 32 * KiB, 4 * MiB})
        for (const int size : {2, 3, 6, 8, 12}) {
            CAPTURE(bytes, size);
            CHECK(chosen(bytes, topology{size}).substr(0, 12) != "hierarchical");
            const std::string flat = chosen(bytes, topology{size, size, medium::network, medium::network});
            CHECK(flat.substr(0, 12) != "hierarchical");
            CHECK(chosen(bytes, nodes_of(1, size)) == flat);
        }
}

TEST_CASE("in memory few ranks send to all at once: while it fits the caches, or from symmetric memory") {
    const auto in_memory = [](std::size_t bytes, int size, bool symmetric) {
        return std::string(choose(operation::allreduce, bytes, topology{size}, true, symmetric).how.name());
    };
    CHECK(in_memory(KiB, 3, false) == "one_shot");
    CHECK(in_memory(8, 2, false) == "butterfly");
    CHECK(in_memory(8, 9, false) == "butterfly");
    CHECK(in_memory(KiB + 4, 4, false) == "butterfly");
    CHECK(in_memory(16 * KiB, 4, true) == "butterfly");
    CHECK(in_memory(16 * KiB + 4, 2, true) == "direct");
    CHECK(in_memory(64 * KiB, 4, false) == "direct");
    CHECK(in_memory(64 * KiB + 4, 4, false) == "halving_doubling");
    CHECK(in_memory(64 * KiB + 4, 5, false) == "ring");
    CHECK(in_memory(64 * MiB, 4, true) == "direct");
    CHECK(in_memory(64 * MiB, 2, true) == "direct");
    CHECK(in_memory(64 * MiB, 2, false) == "halving_doubling");
    topology threads{2};
    threads.reads_in_place = true;
    CHECK(choose(operation::allreduce, MiB, threads).how.name() == "direct");
    CHECK(in_memory(64 * MiB, 16, true) == "halving_doubling");
}

TEST_CASE("over a network all data is exchanged in each round as long as that is little in all") {
    const auto network = [](int size) { return topology{size, size, medium::network, medium::network}; };
    CHECK(chosen(128 * KiB, network(2)) == "butterfly");
    CHECK(chosen(128 * KiB + 4, network(2)) == "halving_doubling");
    CHECK(chosen(64 * KiB, network(4)) == "butterfly");
    CHECK(chosen(64 * KiB + 4, network(4)) == "halving_doubling");
    CHECK(chosen(32 * KiB, network(5)) == "butterfly");
    CHECK(chosen(64 * KiB, network(5)) == "ring");
    CHECK(chosen(64 * MiB, network(1)) == "butterfly");
}

TEST_CASE("over a network, many ranks take a larger radix, then exchange once a message outweighs its overhead") {
    const auto network = [](int size) { return topology{size, size, medium::network, medium::network}; };
    CHECK(chosen(8 * KiB, network(9)) == "butterfly_of");
    CHECK(chosen(8 * KiB, network(8)) == "butterfly");
    CHECK(chosen(8 * KiB + 4, network(64)) == "butterfly");
    CHECK(chosen(64 * KiB, network(64)) == "halving_doubling");
    CHECK(chosen(128 * KiB, network(64)) == "parameter_server");
    CHECK(chosen(128 * MiB, network(64)) == "halving_doubling");
    CHECK(chosen(MiB, network(512)) == "halving_doubling");
    CHECK(chosen(MiB, network(800)) == "circulant");
    CHECK(chosen(800 * 4 * KiB, network(800)) == "double_binary_tree");
    CHECK(chosen(800 * 32 * 800, network(800)) == "parameter_server");
    CHECK(chosen(800 * 2 * MiB, network(800)) == "ring");
    CHECK(choose(operation::allreduce, 800 * 4 * KiB, network(800)).segments == 16);
    CHECK(chosen(MiB, network(6)) == "ring");
    const auto shards = [&](std::size_t bytes, int size) {
        return std::string(choose(operation::reduce_scatter, bytes, network(size)).how.name());
    };
    CHECK(shards(100 * KiB, 100) == "circulant");
    CHECK(shards(MiB, 100) == "parameter_server");
    CHECK(shards(100 * 2 * MiB, 100) == "ring");
    CHECK(shards(MiB, 128) == "halving_doubling");
}

TEST_CASE("an alltoall over a network hands on little blocks, and sends large ones straight to their ranks") {
    const auto how = [](std::size_t bytes, int size, medium between) {
        return std::string(choose(operation::alltoall, bytes, topology{size, size, between, between}).how.name());
    };
    CHECK(how(8 * KiB, 8, medium::network) == "bruck");
    CHECK(how(8 * KiB + 8, 8, medium::network) == "direct");
    CHECK(how(8, 4, medium::network) == "direct");
    CHECK(how(16 * 64, 16, medium::network) == "bruck");
    CHECK(how(16 * 65, 16, medium::network) == "direct");
    CHECK(how(1000 * KiB, 1000, medium::network) == "bruck");
    CHECK(how(1001 * KiB, 1000, medium::network) == "direct");
    CHECK(std::string(choose(operation::alltoall, 15 * 384, nodes_of(8, 15)).how.name()) == "bruck");
    CHECK(std::string(choose(operation::alltoall, 15 * 385, nodes_of(8, 15)).how.name()) == "direct");
    CHECK(how(8, 8, medium::memory) == "direct");
}

TEST_CASE("shards go straight from each rank to each in memory, by halves over a network") {
    const auto how = [](operation o, std::size_t bytes, const topology& on, bool symmetric = false) {
        return std::string(choose(o, bytes, on, true, symmetric).how.name());
    };
    const topology memory{4}, network{4, 4, medium::network, medium::network};
    CHECK(how(operation::allgather, 64 * MiB, memory) == "direct");
    CHECK(how(operation::reduce_scatter, 64 * KiB, memory) == "direct");
    CHECK(how(operation::reduce_scatter, MiB, memory) == "halving_doubling");
    CHECK(how(operation::reduce_scatter, MiB, memory, true) == "direct");
    CHECK(how(operation::allgather, 8, topology{16}) == "halving_doubling");
    CHECK(how(operation::allgather, 8, network) == "halving_doubling");
}

TEST_CASE("from and to a root of few ranks all data go twice over a network, unless they are few or worth segments") {
    const auto how = [](operation o, std::size_t bytes, const topology& on) {
        return std::string(choose(o, bytes, on).how.name());
    };
    const topology memory{4}, network{4, 1, medium::network, medium::network};
    const topology loopback{4, 4, medium::network, medium::network};
    CHECK(how(operation::broadcast, 128 * KiB - 4, network) == "binomial_tree");
    CHECK(how(operation::broadcast, 128 * KiB, network) == "scatter_allgather");
    CHECK(how(operation::reduce, MiB, network) == "reduce_scatter_gather");
    CHECK(how(operation::reduce, 4 * MiB, network) == "double_binary_tree");
    CHECK(how(operation::broadcast, MiB, loopback) == "binomial_tree");
    CHECK(how(operation::reduce, 4 * MiB - 4, loopback) == "binomial_tree");
    CHECK(how(operation::reduce, 4 * MiB, loopback) == "double_binary_tree");
    CHECK(how(operation::broadcast, MiB, memory) == "binomial_tree");
    CHECK(how(operation::broadcast, 16 * MiB, memory) == "double_binary_tree");
    CHECK(how(operation::reduce, MiB, topology{3, 3, medium::network, medium::network}) == "binomial_tree");
}

TEST_CASE("many ranks over a network have all data of a root go straight, then by one tree, then by two in segments") {
    const auto taken = [](operation o, std::size_t bytes, int size) {
        return choose(o, bytes, topology{size, size, medium::network, medium::network});
    };
    for (const operation o : {operation::reduce, operation::broadcast}) {
        CHECK(taken(o, 2 * KiB, 16).how.name() == "naive");
        CHECK(taken(o, 2 * KiB, 17).how.name() == "binomial_tree");
        CHECK(taken(o, 64 * KiB, 16).how.name() == "binomial_tree");
        CHECK(taken(o, 4 * KiB + 4, 17).how.name() == "double_binary_tree");
        CHECK(taken(o, 8 * KiB, 100).segments == 4);
        CHECK(taken(o, 128 * KiB, 100).segments == 8);
        CHECK(taken(o, 64 * MiB, 100).segments == 16);
    }
}

TEST_CASE("over several nodes other operations go by levels too, but for very little and much data") {
    const auto how = [](operation o, std::size_t bytes, int g, int size) {
        return std::string(choose(o, bytes, nodes_of(g, size)).how.name());
    };
    for (const operation o : {operation::reduce_scatter, operation::allgather}) {
        CHECK(how(o, 8, 4, 12) == "hierarchical:halving_doubling:parameter_server");
        CHECK(how(o, 12 * MiB - 12, 4, 12) == "hierarchical:halving_doubling:parameter_server");
        CHECK(how(o, 12 * MiB, 4, 12) == "ring");
        CHECK(how(o, KiB, 2, 66) == "halving_doubling");
        CHECK(how(o, 3072 * 192, 8, 3072) == "halving_doubling");
        CHECK(how(o, 3072 * 193, 8, 3072) == "hierarchical:halving_doubling:parameter_server");
        CHECK(how(o, 8, 4, 11) == "halving_doubling");
        CHECK(how(o, 64 * MiB, 4, 11) == "ring");
    }
    for (const operation o : {operation::reduce, operation::broadcast}) {
        CHECK(how(o, 124, 4, 16) == "binomial_tree");
        CHECK(how(o, 128, 4, 16) == "hierarchical:halving_doubling:binomial_tree");
        CHECK(how(o, 8 * KiB, 4, 15) == "binomial_tree");
        CHECK(how(o, 512 * KiB, 4, 16) == "double_binary_tree");
        CHECK(how(o, 4 * MiB, 4, 8) == "hierarchical:halving_doubling:binomial_tree");
        CHECK(how(o, 4 * MiB, 4, 7) == "double_binary_tree");
    }
}

TEST_CASE("ranks that lie in turn, or on nodes of different sizes, are chosen for by levels as well") {
    const auto lying = [](const std::vector<int>& nodes) {
        return tutti::model::topology_of(nodes, medium::memory, medium::network);
    };
    const auto how = [](operation o, std::size_t bytes, const topology& on) { return choose(o, bytes, on).how; };
    const topology in_turn = lying({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}), uneven = lying({0, 0, 0, 1, 1, 1, 1});
    for (const topology& on : {in_turn, uneven})
        for (const operation o : {operation::allreduce, operation::allgather, operation::reduce_scatter})
            for (const std::size_t bytes : {std::size_t{0}, 16 * KiB, 256 * KiB}) {
                CHECK(how(o, bytes, on).has_levels());
                CHECK(how(o, bytes, on).placed() == on.placed.get());
            }
    CHECK(how(operation::allreduce, 64 * MiB, in_turn).has_levels());
    CHECK_FALSE(how(operation::allreduce, MiB, uneven).has_levels());
    CHECK(how(operation::allreduce, MiB, lying({0, 1, 1, 0, 1})).has_levels()); // a ring would cross at each step
    CHECK_FALSE(how(operation::allgather, MiB, uneven).has_levels());
    CHECK(how(operation::broadcast, 16 * KiB, in_turn).has_levels());
    CHECK_FALSE(how(operation::broadcast, 16 * KiB, uneven).has_levels());
}

TEST_CASE("so many ranks that a hierarchy would join too many parts keep a flat algorithm") {
    const auto in_turn = [](int nodes, int each) {
        std::vector<int> all;
        for (int r = 0; r < nodes * each; ++r) all.push_back(r % nodes);
        return tutti::model::topology_of(all, medium::memory, medium::network);
    };
    for (const operation o : {operation::alltoall, operation::allgather, operation::reduce_scatter}) {
        CHECK(choose(o, 8192 * KiB, in_turn(1024, 8)).how.has_levels());
        CHECK_FALSE(choose(o, 9000 * KiB, in_turn(1125, 8)).how.has_levels());
        for (const auto& c : tutti::model::candidates(o, in_turn(1125, 8))) CHECK_FALSE(c.how.has_levels());
    }
    CHECK(choose(operation::allgather, 9000 * KiB, nodes_of(8, 9000)).how.has_levels());
    CHECK_FALSE(choose(operation::alltoall, 9000 * KiB, nodes_of(8, 9000)).how.has_levels());
}

TEST_CASE("an alltoall over nodes goes by levels while blocks are little") {
    const auto how = [](std::size_t block, int g, int size) {
        return std::string(
            choose(operation::alltoall, block * static_cast<unsigned>(size), nodes_of(g, size)).how.name());
    };
    CHECK(how(8, 4, 16) == "hierarchical:direct:direct");
    CHECK(how(2 * KiB, 8, 96) == "hierarchical:direct:direct");
    CHECK(how(2 * KiB + 4, 8, 96) == "direct");
    CHECK(how(16, 8, 31 * 8) == "hierarchical:direct:direct");
    CHECK(how(16, 8, 32 * 8) == "bruck"); // many nodes
    CHECK(how(17, 8, 32 * 8) == "hierarchical:direct:direct");
    CHECK(how(8, 4, 15) == "bruck");
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

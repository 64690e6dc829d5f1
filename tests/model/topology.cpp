// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/choice/topology.hpp>

#include "support/catch.hpp"

#include <vector>

using tutti::model::topology;
using tutti::transport::medium;

namespace {

topology lying(const std::vector<int>& nodes) {
    return tutti::model::topology_of(nodes, medium::memory, medium::network);
}
/// 0 where the ranks need a placement.
int per_node(const std::vector<int>& nodes) { return lying(nodes).placed ? 0 : lying(nodes).ranks_per_node; }

/// Ranks on nodes as listed, for topology_of.
struct placed_ranks {
    struct media {
        medium near = medium::memory, far = medium::network;
        bool reads_in_place = false;
    };
    std::vector<int> nodes;
    bool reads_in_place = false;
    [[nodiscard]] media between() const { return {.reads_in_place = reads_in_place}; }
    [[nodiscard]] int node(int rank) const { return nodes[static_cast<std::size_t>(rank)]; }
};

} // namespace

TEST_CASE("ranks per node are counted where nodes are blocks of equally many consecutive ranks") {
    CHECK(per_node({0}) == 1);
    CHECK(per_node({0, 0, 0}) == 3);
    CHECK(per_node({0, 1, 2}) == 1);
    CHECK(per_node({0, 0, 1, 1}) == 2);
    CHECK(per_node({5, 5, 5, 2, 2, 2, 9, 9, 9}) == 3);
}

TEST_CASE("the last node may have fewer ranks than the others, no other may") {
    CHECK(per_node({0, 0, 1}) == 2);
    CHECK(per_node({0, 0, 0, 1, 1, 1, 2}) == 3);
    CHECK(per_node({0, 0, 1, 2, 2}) == 0);
    CHECK(per_node({0, 0, 1, 1, 1}) == 0);
    CHECK(per_node({0, 1, 1}) == 0);
}

TEST_CASE("ranks of a node that are not consecutive need a placement") {
    CHECK(per_node({0, 1, 0, 1}) == 0);
    CHECK(per_node({0, 0, 1, 1, 0, 0}) == 0);
    CHECK(per_node({0, 0, 1, 0}) == 0);
}

TEST_CASE("a topology says whether the transport reads all memory in place") {
    CHECK(tutti::model::topology_of(placed_ranks{{0, 0}, true}, std::vector{0, 1}).reads_in_place);
    CHECK_FALSE(lying({0, 0}).reads_in_place);
}

TEST_CASE("a topology is that of the communicator's ranks in their order, not that of the world") {
    const placed_ranks world{{0, 0, 0, 0, 1, 1, 1, 1}};
    const auto of = [&](std::vector<int> members) { return tutti::model::topology_of(world, members); };
    CHECK(of({0, 1, 2, 3, 4, 5, 6, 7}) == topology{8, 4, medium::memory, medium::network});
    CHECK(of({2, 3, 4, 5}) == topology{4, 2, medium::memory, medium::network});
    CHECK(of({7, 6, 1, 0}) == topology{4, 2, medium::memory, medium::network});
    CHECK(of({0, 4, 1, 5}) == lying({0, 1, 0, 1}));
    CHECK(of({4, 0, 5, 1}) == lying({0, 1, 0, 1}));
    CHECK(of({4, 5, 6}) == topology{3, 3, medium::memory, medium::network});
    CHECK(of({3}) == topology{1, 1, medium::memory, medium::network});
}

TEST_CASE("a placement tells how many nodes there are, whether they are even, and how many ranks the largest has") {
    const topology cyclic = lying({0, 1, 2, 0, 1, 2}), uneven = lying({7, 7, 7, 3, 3, 3, 3});
    CHECK((cyclic.nodes() == 3 && cyclic.even() && cyclic.ranks_per_node == 2 && cyclic.has_levels()));
    CHECK((uneven.nodes() == 2 && !uneven.even() && uneven.ranks_per_node == 4 && uneven.has_levels()));
    CHECK(cyclic.between() == medium::network);
    CHECK_FALSE(cyclic == lying({0, 1, 2, 0, 2, 1}));
    CHECK_FALSE(cyclic == topology{6, 2, medium::memory, medium::network});
}

TEST_CASE("a topology of ranks alone is one node") {
    CHECK(topology{6}.ranks_per_node == 6);
    CHECK(topology{6}.nodes() == 1);
    CHECK_FALSE(topology{6}.has_levels());
    CHECK_FALSE(topology{6, 1}.has_levels());
    CHECK(topology{6, 2}.has_levels());
    CHECK(topology{6, 2}.nodes() == 3);
    CHECK(topology{7, 2}.nodes() == 4);
    CHECK(topology{7, 1}.nodes() == 7);
    CHECK((topology{6, 2}.even() && !topology{7, 2}.even()));
}

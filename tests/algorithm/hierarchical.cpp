// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/hierarchical.hpp>

#include <collectives/algorithm/all.hpp>

#include "prove.hpp"

#include <cstddef>
#include <utility>

using namespace tutti::algorithm;
using tutti::schedule::operation;
using tutti::test::prove_call;

namespace {

/// Proves all operations with `ranks_per_node` on each node but the last, which has what is left.
void prove_nodes(const any& a, int size) {
    for (const operation o : tutti::schedule::operations)
        for (const int segments : {1, 2})
            for (const int root : {0, size / 2, size - 1})
                if (a.offers(o) && (root == 0 || has_root(o))) prove_call(a, o, size, root, segments);
}
template <class Local, class Global>
void prove_all_nodes() {
    for (const int ranks_per_node : {1, 2, 3, 4, 5, 8, 64})
        for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 24, 25, 32, 33})
            prove_nodes(hierarchical<Local, Global>{ranks_per_node}, size);
}

} // namespace

TEST_CASE("any levels with any number of ranks a node, uneven nodes included, are proven at the stated cost") {
    prove_all_nodes<ring, naive>();
    prove_all_nodes<ring, double_binary_tree>();
    prove_all_nodes<parameter_server, butterfly>();
    prove_all_nodes<halving_doubling, halving_doubling>();
    prove_all_nodes<halving_doubling, one_shot>();
    prove_all_nodes<parameter_server, binomial_tree>();
    prove_all_nodes<direct, direct>();
}

TEST_CASE("the global level may be hierarchical itself") {
    using three_levels = hierarchical<ring, hierarchical<halving_doubling, butterfly>>;
    for (const int near : {1, 2, 3, 4})
        for (const int far : {1, 2, 3})
            for (const int size : {1, 2, 4, 6, 8, 12, 13, 16, 24, 30}) prove_nodes(three_levels{near, {}, {far}}, size);
}

TEST_CASE("ranks per node below one mean one, beyond the size one node") {
    const auto written = [](int ranks_per_node) {
        return any(hierarchical<ring, butterfly>{ranks_per_node}).write(operation::allreduce, 6).ranks;
    };
    CHECK(written(0) == written(1));
    CHECK(written(-3) == any(butterfly{}).write(operation::allreduce, 6).ranks);
    CHECK(written(7) == written(6));
}

TEST_CASE("a node talks to other nodes rank by rank: each shard stays on one rank of a node") {
    const int ranks_per_node = 4;
    const auto p = any(hierarchical<ring, ring>{ranks_per_node}).write(operation::allreduce, 12);
    for (int rank = 0; rank < 12; ++rank)
        for (const auto& s : p.ranks[static_cast<std::size_t>(rank)])
            if (communicates(s))
                CHECK((s.peer / ranks_per_node == rank / ranks_per_node ||
                       s.peer % ranks_per_node == rank % ranks_per_node));
}

TEST_CASE("between nodes each rank carries its shard only: 2(N-1)/N n a node") {
    const auto p = any(hierarchical<ring, ring>{4}).write(operation::allreduce, 12);
    for (int rank = 0; rank < 12; ++rank) {
        int far = 0;
        for (const auto& s : p.ranks[static_cast<std::size_t>(rank)])
            if (sends(s) && s.peer / 4 != rank / 4) far += width(s);
        CHECK(far * 4 * 3 == 2 * 2 * p.chunks);
    }
}

TEST_CASE("a hierarchy has the operations of its global level, but for those that only one level knows") {
    const auto offers = [](const any& a, operation o) { return a.offers(o); };
    const any shards = hierarchical<ring, ring>{2}, rooted = hierarchical<ring, binomial_tree>{2};
    for (const operation o : {operation::reduce_scatter, operation::allgather})
        CHECK((offers(shards, o) && !offers(rooted, o)));
    for (const operation o : {operation::reduce, operation::broadcast})
        CHECK((offers(rooted, o) && !offers(shards, o)));
    for (const operation o : {operation::gather, operation::scatter, operation::scan, operation::alltoall})
        CHECK_FALSE((offers(shards, o) || offers(rooted, o)));
}

TEST_CASE("between nodes each rank carries its part of a broadcast, and each shard of an allgather goes once") {
    const int g = 4, size = 12;
    const auto far_chunks = [&](const any& a, operation o, int root) {
        const auto p = a.write(o, size, root);
        int chunks = 0;
        for (int rank = 0; rank < size; ++rank) {
            int own = 0;
            for (const auto& s : p.ranks[static_cast<std::size_t>(rank)])
                if (sends(s) && s.peer / g != rank / g) own += width(s);
            CHECK(own * g <= 2 * p.chunks); // to two other nodes
            chunks += own;
        }
        return std::pair(chunks, p.chunks);
    };
    const auto broadcast = far_chunks(hierarchical<ring, binomial_tree>{g}, operation::broadcast, 5);
    CHECK(broadcast.first == 2 * broadcast.second);
    const auto allgather = far_chunks(hierarchical<halving_doubling, ring>{g}, operation::allgather, 0);
    CHECK(allgather.first == 2 * allgather.second);
}

TEST_CASE("an alltoall sends a message to each rank of its node, and to one rank of each other node") {
    const int g = 4, size = 12;
    const any how = hierarchical<direct, direct>{g};
    const auto p = how.write(operation::alltoall, size);
    for (int rank = 0; rank < size; ++rank) {
        const auto& steps = p.ranks[static_cast<std::size_t>(rank)];
        int near = 0, far = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!sends(steps[i]) || !tutti::schedule::leads(steps, i)) continue;
            ++(steps[i].peer / g == rank / g ? near : far);
            CHECK((steps[i].peer / g == rank / g || steps[i].peer % g == rank % g));
        }
        CHECK((near == g - 1 && far == size / g - 1));
    }
}

TEST_CASE("its name tells its levels") {
    STATIC_REQUIRE(hierarchical<ring, double_binary_tree>::name == "hierarchical:ring:double_binary_tree");
    STATIC_REQUIRE(hierarchical<ring, hierarchical<ring, naive>>::name == "hierarchical:ring:hierarchical:ring:naive");
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/counts.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/model/closed_form.hpp>

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace tutti::algorithm;
using tutti::model::collective;
using tutti::model::count;
using tutti::model::counts;
using tutti::model::origin;
using tutti::schedule::operation;

namespace {

/// All algorithms that have a name, on nodes of three.
std::vector<any> algorithms_to_count() {
    std::vector<any> list;
    for (const any& a : all(3)) list.push_back(a);
    for (const any& a : compositions(3)) list.push_back(a);
    return list;
}

collective counted_allreduce(const any& how, int size, std::size_t bytes, std::size_t element_bytes = 1) {
    return {operation::allreduce, how, size, bytes, 0, 1, false, element_bytes};
}

} // namespace

TEST_CASE("depth, rounds, fan-in, and what the busiest ranks send and receive are what verify finds") {
    for (const any& a : algorithms_to_count())
        for (const operation o : tutti::schedule::operations)
            for (const int size : {1, 2, 3, 4, 7, 8, 12, 17})
                for (const int segments : {1, 2}) {
                    if (!a.offers(o)) continue;
                    CAPTURE(std::string(a.name()), std::string(name_of(o)), size, segments);
                    const int root = has_root(o) ? size / 2 : 0;
                    const auto chunks = static_cast<std::size_t>(a.chunks(o, size) / vectors_of(o, size) * segments);
                    const counts c = count({o, a, size, chunks, root, segments}, 3);
                    const auto verified = tutti::schedule::verify(a.write(o, size, root, false, segments));
                    REQUIRE(verified.proven);
                    CHECK(c.depth == verified.measured.depth);
                    CHECK(c.rounds == verified.measured.rounds);
                    CHECK(c.fan_in == verified.measured.fan_in);
                    CHECK(c.sent.most == verified.measured.sent);
                    CHECK(c.received.most == verified.measured.received);
                    CHECK(c.levels->near + c.levels->far == c.total_bytes);
                }
}

TEST_CASE("a ring sends everything but one chunk twice, one chunk at a time, and once over each link between nodes") {
    const counts c = count(counted_allreduce(ring{}, 8, 800), 4);
    CHECK(c.messages == 8 * 14);
    CHECK(c.total_bytes == 8 * 1400);
    CHECK(c.sent.most == 1400);
    CHECK(c.sent.mean == 1400);
    CHECK(c.received.most == 1400);
    CHECK(c.reduced.most == 700);
    CHECK(c.scratch_max == 0);
    CHECK(c.inbound_max == 100);
    CHECK(c.levels->far == 2 * 1400);
    CHECK(c.levels->node_sent_max == 1400);
}

TEST_CASE("a naive root takes in and gives out what all others have, all of it at the same depth") {
    const counts c = count(counted_allreduce(naive{}, 5, 1000), 2);
    CHECK(c.messages == 8);
    CHECK(c.sent.most == 4000);
    CHECK(c.sent.mean == 8000.0 / 5);
    CHECK(c.inbound_max == 4000);
    CHECK(c.fan_in == 4);
    CHECK(c.reduced.most == 4000);
    CHECK(c.reduced.mean == 800);
    CHECK(c.levels->near == 2000); // ranks 0 and 1 are a node, so are 2 and 3
    CHECK(c.levels->far == 6000);
    CHECK(c.levels->node_sent_max == 3000);
}

TEST_CASE("a parameter server's shards take in as little as a ring's ranks altogether, but a phase's at once") {
    const counts c = count(counted_allreduce(parameter_server{}, 4, 400));
    CHECK(c.total_bytes == count(counted_allreduce(ring{}, 4, 400)).total_bytes);
    CHECK(c.inbound_max == 300);
    CHECK(c.received.most == 600);
}

TEST_CASE("a reduction of many operands counts each but the first; what they wait in is scratch memory") {
    const counts c = count(counted_allreduce(one_shot{}, 4, 100));
    CHECK(c.reduced.most == 300);
    CHECK(c.scratch_max == 300);
    collective in_place = counted_allreduce(one_shot{}, 4, 100);
    in_place.in_place = true;
    CHECK(count(in_place).scratch_max == 400);
}

TEST_CASE("a hierarchy sends between nodes what one rank a node would") {
    const counts c = count(counted_allreduce(hierarchical<ring, ring>{4}, 12, 1200), 4);
    CHECK(c.levels->node_sent_max == 2 * 2 * 1200 / 3);
    CHECK(c.levels->far == 3 * c.levels->node_sent_max);
    CHECK(count(counted_allreduce(hierarchical<ring, ring>{4}, 12, 1200), 12).levels->far == 0);
    CHECK(count(counted_allreduce(hierarchical<ring, ring>{4}, 12, 1200), 100).levels->far == 0);
}

TEST_CASE("chunks are cut between elements, the first ones longer") {
    // Ten elements over four ranks: 3, 3, 2 and 2. Each rank sends all but its own, once.
    const counts c = count({operation::allgather, ring{}, 4, 40, 0, 1, false, 4});
    CHECK(c.total_bytes == 3 * 40);
    CHECK(c.sent.most == 32); // rank 3 passes on all but the shard of rank 0, which lies ahead of it
    CHECK(c.sent.mean == 30);
    CHECK(c.inbound_max == 12);
    CHECK(count(counted_allreduce(ring{}, 4, 3)).inbound_max == 1);
    CHECK(count(counted_allreduce(ring{}, 4, 0)).total_bytes == 0);
    CHECK(count(counted_allreduce(ring{}, 4, 0)).messages == 24);
}

TEST_CASE("one rank has nothing to send") {
    const counts c = count(counted_allreduce(ring{}, 1, 100));
    CHECK(c.messages == 0);
    CHECK(c.total_bytes == 0);
    CHECK(c.depth == 0);
    CHECK(c.rounds == 0);
    CHECK(c.inbound_max == 0);
}

TEST_CASE("what an algorithm has no schedule for cannot be counted") {
    CHECK_THROWS_AS(count({operation::broadcast, ring{}, 4, 100}), tutti::error);
    CHECK_THROWS_AS(count(counted_allreduce(ring{}, 0, 100)), tutti::error);
    CHECK_THROWS_AS(count(counted_allreduce(ring{}, 4, 100), 0), tutti::error);
}

TEST_CASE("what is no call is neither counted nor has a closed form, and is told why") {
    const auto refused = [](const collective& c, const std::string& why) {
        CHECK_THROWS_WITH(count(c), Catch::Contains("in count: " + why));
        CHECK_THROWS_WITH(closed_form(c, tutti::model::hockney{}), Catch::Contains("in closed_form: " + why));
        CHECK_THROWS_WITH(closed_form(c, tutti::model::loggp{}, tutti::model::loggp{}), Catch::Contains(why));
    };
    refused({operation::allreduce, ring{}, 4, 100, 0, 1, false, 0}, "an element must have a byte");
    refused({operation::allreduce, ring{}, 4, 100, 0, 0}, "there must be a segment");
    refused({operation::allreduce, ring{}, 0, 100}, "there must be a rank");
    refused({operation::broadcast, naive{}, 4, 100, 4}, "the root is none of the ranks");
    refused({operation::broadcast, naive{}, 4, 100, -1}, "the root is none of the ranks");
    refused({operation::allreduce, ring{}, 4, (std::size_t{1} << 60) + 1}, "1152921504606846977 bytes are more than");
    CHECK_THROWS_WITH(
        best_segments({operation::allreduce, double_binary_tree{}, 4, 100, 0, 1, false, 0}, tutti::model::hockney{}),
        Catch::Contains("an element must have a byte"));
}

TEST_CASE("sums of bytes that no integer holds are refused, step by step and by symmetry; just below they are exact") {
    constexpr std::size_t quarter = std::size_t{1} << 60;
    CHECK(count(counted_allreduce(ring{}, 2, quarter)).total_bytes == 2LL << 60);
    CHECK(count(counted_allreduce(ring{}, 3, quarter)).total_bytes == 4LL << 60);
    CHECK_THROWS_WITH(count(counted_allreduce(ring{}, 4, quarter)), Catch::Contains("than can be counted"));
    CHECK_THROWS_WITH(count(counted_allreduce(naive{}, 64, quarter)), Catch::Contains("than can be counted"));
    const counts many = count(counted_allreduce(one_shot{}, 4096, std::size_t{1} << 32));
    CHECK(many.by_symmetry);
    CHECK(many.total_bytes == 4096LL * 4095 << 32);
    CHECK_THROWS_WITH(count(counted_allreduce(one_shot{}, 65536, std::size_t{1} << 32)),
                      Catch::Contains("than can be counted"));
}

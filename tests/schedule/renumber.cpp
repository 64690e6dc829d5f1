// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/renumber.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/schedule/lowering/pack.hpp>
#include <collectives/schedule/verify_modes.hpp>

#include "support/catch.hpp"
#include "support/placements.hpp"

#include <random>
#include <vector>

using namespace tutti::schedule;
using tutti::algorithm::any;

namespace {

std::vector<any> everything() {
    std::vector<any> list = tutti::algorithm::all(2);
    for (const any& a : tutti::algorithm::compositions(2)) list.push_back(a);
    return list;
}

std::string flaw_of(const any& a, operation o, int root, int segments, const placement& where) {
    const program apart = renumbered(a.write(o, where.size(), root, false, segments), where),
                  in_place = renumbered(a.write(o, where.size(), root, true, segments), where);
    const auto whole = verify_modes(apart, in_place, nullptr),
               after_packing = verify_modes(packed(apart), packed(in_place), nullptr);
    return whole.proven ? after_packing.message() : whole.message();
}

int scratch_chunks(const program& p, int rank) {
    int sum = 0;
    for (const chunk_range& w : scratch_windows(p.ranks[static_cast<std::size_t>(rank)])) sum += w.count();
    return sum;
}

const placement in_turn(std::vector<int>{0, 1, 0, 1}); // ranks 0 and 2, then 1 and 3

} // namespace

TEST_CASE("every schedule but a scan's is proven for any order of its ranks, packed as well") {
    std::mt19937 dice(15);
    for (const auto& nodes : tutti::test::placements(dice, 30, 11))
        for (const any& a : everything())
            for (const operation o : operations) {
                if (!a.offers(o) || is_scan(o)) continue;
                const int size = static_cast<int>(nodes.size()), root = static_cast<int>(dice() % nodes.size());
                CAPTURE(std::string(a.name()), std::string(name_of(o)), size, root);
                CHECK(flaw_of(a, o, root, 1 + root % 2, placement(nodes)) == "proven");
            }
}

TEST_CASE("a renumbered scan is none, and verify says so") {
    const any chain = tutti::algorithm::by_name("chain");
    CHECK(flaw_of(chain, operation::scan, 0, 1, in_turn) != "proven");
}

TEST_CASE("a message of shards that are apart has joined parts, and one of whole data stays whole") {
    program p{operation::allgather, 4, 0, false, 4, {{send(1, {buffer::output, 0, 2})}, {}, {}, {}}};
    const auto sent = renumbered(p, in_turn).ranks[0];
    CHECK(sent == std::vector{joined(send(2, {buffer::output, 0, 1})), send(2, {buffer::output, 2, 1})});
    p.what = operation::broadcast;
    CHECK(renumbered(p, in_turn).ranks[0] == std::vector{send(2, {buffer::output, 0, 2})});
}

TEST_CASE("ranks that follow each other in both orders stay one part") {
    const placement swapped(std::vector<int>{0, 1, 1, 1, 0}); // seats 0 4 1 2 3
    const program p{operation::allgather, 5, 0, false, 5, {{send(1, {buffer::output, 1, 4})}, {}, {}, {}, {}}};
    CHECK(renumbered(p, swapped).ranks[0] ==
          std::vector{joined(send(4, {buffer::output, 4, 1})), send(4, {buffer::output, 1, 3})});
}

TEST_CASE("the root and the rows of an alltoall are renumbered") {
    const any tree = tutti::algorithm::by_name("binomial_tree");
    CHECK(renumbered(tree.write(operation::broadcast, 4, 1), in_turn).root == 2);
    program p{operation::alltoall, 4, 0, false, 16, {{send(1, {buffer::input, 4, 1})}, {}, {}, {}}};
    CHECK(renumbered(p, in_turn).ranks[0] == std::vector{send(2, {buffer::input, 8, 1})});
}

TEST_CASE("scratch does not grow, and blocks that lay in a row still do, so that packing copies nothing") {
    const any how = tutti::algorithm::by_name("hierarchical:direct:direct", 3);
    const placement where(std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2});
    const program before = how.write(operation::alltoall, 9),
                  after = renumbered(how.write(operation::alltoall, 9), where);
    for (int seat = 0; seat < 9; ++seat)
        CHECK(scratch_chunks(after, where.rank_at(seat)) == scratch_chunks(before, seat));
    const std::vector<step> from_bank{receive(1, {scratch(0), 0, 3}), send(2, {scratch(0), 0, 3})};
    auto moved = renumbered(operation::allgather, 9, where, from_bank);
    CHECK(moved.size() == 6);
    CHECK(packed(moved) == moved);
}

TEST_CASE("parts of a program stay those of their steps") {
    const auto p = renumbered(tutti::algorithm::by_name("ring").write(operation::allreduce, 4), in_turn);
    for (const auto& parts : p.parts) CHECK(parts.back().first > 0);
    const auto whole = tutti::algorithm::by_name("bruck").write(operation::allgather, 4);
    const auto split = renumbered(whole, in_turn);
    for (std::size_t r = 0; r < 4; ++r) {
        REQUIRE(split.parts[r].size() == 2);
        CHECK(split.parts[r][1].first == 1); // behind the library's copy
    }
}

TEST_CASE("a step that is none stays as it is") {
    for (const step& wrong :
         {send(9, {buffer::output, 0, 1}), send(1, {buffer::output, -1, 1}), send(1, {buffer::output, 3, 9}),
          send(1, {buffer::output, 0, 0}), copy({buffer::input, 0, 1}, {buffer::output, 1, 1})}) {
        const auto after = renumbered(operation::allgather, 4, in_turn, {wrong});
        REQUIRE(after.size() == 1);
        CHECK(after[0].from == wrong.from);
        CHECK(after[0].to == wrong.to);
    }
}

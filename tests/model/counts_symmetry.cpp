// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>
#include <collectives/choice/topology.hpp>
#include <collectives/model/counts.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

using namespace tutti;
using namespace tutti::algorithm;
using tutti::model::collective;
using tutti::model::counts;
using tutti::schedule::operation;

namespace {

std::vector<any> symmetry_candidates(int g) {
    std::vector<any> list;
    for (const any& a : all(g)) list.push_back(a);
    for (const any& a : compositions(g)) list.push_back(a);
    return list;
}

std::vector<step> steps_walked(const any& a, operation o, int rank, int size) {
    std::vector<step> steps;
    a.walk(o, {rank, size}, 1, steps);
    return steps;
}

/// What a rank says and hears, as rank `by` would if all ranks and chunks were shifted by that.
std::vector<std::tuple<schedule::action, int, int, int>> shifted_messages(const any& a, operation o, int by, int size) {
    std::vector<std::tuple<schedule::action, int, int, int>> list;
    for (const step& s : steps_walked(a, o, by, size)) {
        if (!communicates(s)) continue;
        const place x = s.what == schedule::action::receive ? s.to : s.from;
        const int first = a.chunks(o, size) == 1 ? x.first : (x.first + size - by) % size;
        list.emplace_back(s.what, (s.peer + size - by) % size, first, x.count);
    }
    return list;
}

/// How many steps of each kind and width a rank has.
std::vector<std::tuple<schedule::action, int, int>> step_widths(const any& a, operation o, int rank, int size) {
    std::vector<std::tuple<schedule::action, int, int>> list;
    for (const step& s : steps_walked(a, o, rank, size)) list.emplace_back(s.what, width(s), s.extra);
    std::sort(list.begin(), list.end());
    return list;
}

void same_figures(const counts& a, const counts& b) {
    CHECK(a.messages == b.messages);
    CHECK(a.total_bytes == b.total_bytes);
    CHECK(a.sent.most == b.sent.most);
    CHECK(a.sent.mean == b.sent.mean);
    CHECK(a.received.most == b.received.most);
    CHECK(a.reduced.most == b.reduced.most);
    CHECK(a.reduced.mean == b.reduced.mean);
    CHECK(a.scratch_max == b.scratch_max);
}

} // namespace

TEST_CASE("where one rank is said to stand for all, all ranks' messages are its own, shifted") {
    int found = 0;
    for (const any& a : symmetry_candidates(2))
        for (const operation o : schedule::operations)
            for (int size = 2; size <= 64; size += size < 17 ? 1 : 11) {
                if (!a.offers(o) || !a.rotates()) continue;
                CAPTURE(std::string(a.name()), std::string(name_of(o)), size);
                bool same = true;
                for (int rank = 1; rank < size; ++rank)
                    same = same && shifted_messages(a, o, rank, size) == shifted_messages(a, o, 0, size);
                CHECK(same);
                ++found;
            }
    CHECK(found > 100);
}

TEST_CASE("where ranks are said to be alike, they have as many steps of each kind and width") {
    int found = 0, others = 0;
    for (const int g : {1, 2, 4, 3})
        for (const any& a : symmetry_candidates(g))
            for (const int size : {2, 3, 4, 6, 8, 12, 16, 24, 36, 64}) {
                const bool alike = a.alike(size);
                CAPTURE(std::string(a.name()), g, size);
                ++(alike ? found : others);
                for (const operation o : schedule::operations) {
                    if (!alike || !a.offers(o)) continue;
                    bool same = true;
                    for (int rank = 1; rank < size; ++rank)
                        same = same && step_widths(a, o, rank, size) == step_widths(a, o, 0, size);
                    CHECK(same);
                }
            }
    CHECK(found > 100);
    CHECK(others > 100);
}

TEST_CASE("by symmetry the same is counted as rank by rank, over levels too") {
    for (const int g : {1, 2, 4})
        for (const any& a : symmetry_candidates(g))
            for (const int size : {2, 4, 8, 12, 16}) {
                if (!a.alike(size) || size % g != 0) continue;
                CAPTURE(std::string(a.name()), g, size);
                const collective c{operation::allreduce, a, size,
                                   4800 * static_cast<std::size_t>(a.chunks(operation::allreduce, size))};
                const bool whole = model::detail::nodes_alike(a, size, g);
                counts by_symmetry, by_ranks;
                by_symmetry.by_symmetry = true;
                model::detail::add_traffic_by_symmetry(
                    by_symmetry, model::detail::walk_ranks(model::detail::in_chunks(c), whole ? g : 1, g), c, whole);
                model::detail::add_traffic(by_ranks, model::detail::walk_ranks(c, size, g));
                same_figures(by_symmetry, by_ranks);
                CHECK(whole == by_symmetry.levels.has_value());
                if (!whole) continue;
                CHECK(by_symmetry.levels->far == by_ranks.levels->far);
                CHECK(by_symmetry.levels->near == by_ranks.levels->near);
                CHECK(by_symmetry.levels->node_sent_max == by_ranks.levels->node_sent_max);
            }
}

TEST_CASE("where ranks lie in turn, a price of many steps takes one node for all, with the figures of all") {
    constexpr int size = 512, width = 8;
    std::vector<int> in_turn;
    for (int rank = 0; rank < size; ++rank) in_turn.push_back(rank % (size / width));
    const auto on = model::topology_of(in_turn, transport::medium::memory, transport::medium::network);
    REQUIRE(on.placed);
    for (const any& how : {any(ring{}), any(direct{}), any(halving_doubling{}), any(butterfly{})}) {
        const collective c{operation::allreduce, how, size, std::size_t{size} * 64, 0, 1, true};
        counts all, one;
        model::detail::count_traffic(all, c, on);
        model::detail::estimate_traffic(one, c, on);
        CAPTURE(std::string(how.name()));
        CHECK(one.by_symmetry == (how == any(ring{}) || how == any(direct{})));
        REQUIRE((all.levels && one.levels));
        CHECK(one.levels->far == all.levels->far);
        CHECK(one.levels->node_sent_max == all.levels->node_sent_max);
        CHECK(one.received.most == all.received.most);
    }
}

TEST_CASE("by symmetry the busiest rank is told where chunks are unequal") {
    // Of 8 bytes 8 ranks own one each: such a rank sends 7 to the other owners, then its own to all others.
    const counts direct_of = model::count({operation::allreduce, direct{}, 1024, 8});
    CHECK(direct_of.by_symmetry);
    CHECK(direct_of.sent.most == 7 + 1023);
    CHECK(direct_of.received.most == 1023 + 7);
    CHECK(direct_of.inbound_max == 1023);
    CHECK(direct_of.total_bytes == 2 * 8 * 1023);
    // The first 952 of 2048 shards have two bytes.
    const counts shards = model::count({operation::allgather, direct{}, 3000, 3000});
    CHECK(model::count({operation::allgather, direct{}, 2048, 3000}).sent.most == 2 * 2047);
    CHECK(shards.sent.most == 2999);
    for (const any& how : {any(ring{}), any(direct{}), any(parameter_server{}), any(halving_doubling{})})
        for (const std::size_t bytes : {std::size_t{5}, std::size_t{70}, std::size_t{333}}) {
            const collective c{operation::allreduce, how, 64, bytes};
            counts all, some;
            model::detail::count_traffic(all, c, 64);
            model::detail::count_busiest(some, c);
            CAPTURE(std::string(how.name()), bytes);
            CHECK(some.sent.most == all.sent.most);
            CHECK(some.received.most == all.received.most);
            CHECK(some.reduced.most == all.reduced.most);
        }
}

TEST_CASE("one rank's chains of messages are those of all") {
    for (const any& a : symmetry_candidates(2))
        for (const operation o : schedule::operations)
            for (const int size : {2, 3, 5, 8, 19}) {
                if (!a.offers(o) || !a.rotates()) continue;
                CAPTURE(std::string(a.name()), std::string(name_of(o)), size);
                const collective c{o, a, size, 100 * static_cast<std::size_t>(a.chunks(o, size))};
                const auto one = model::detail::chains(c, true).count(), all = model::detail::chains(c, false).count();
                REQUIRE((one && all));
                CHECK(one->depth == all->depth);
                CHECK(one->fan_in == all->fan_in);
                CHECK(one->inbound_max == all->inbound_max);
            }
}

TEST_CASE("a ring of 100,000 ranks is counted by symmetry, and says so") {
    const counts c = model::count({operation::allreduce, ring{}, 100'000, 400'000'000}, 8);
    CHECK(c.by_symmetry);
    CHECK(c.messages == 2LL * 99'999 * 100'000);
    CHECK(c.total_bytes == 2LL * 99'999 * 400'000'000);
    CHECK(c.sent.most == 2LL * 99'999 * 4000);
    CHECK(c.inbound_max == 4000);
    CHECK(c.levels->far == 12'500 * c.sent.most);
    CHECK(c.levels->node_sent_max == c.sent.most);
    CHECK(c.depth == 2 * 99'999);
    CHECK(c.rounds == 2 * 99'999);
    CHECK(c.rounds_from == model::origin::stated);
}

TEST_CASE("100,000 ranks of what takes few rounds are counted one by one") {
    const counts c = model::count({operation::allreduce, binomial_tree{}, 100'000, 1000}, 8);
    CHECK_FALSE(c.by_symmetry);
    CHECK(c.messages == 2 * 99'999);
    CHECK(c.total_bytes == 2 * 99'999'000);
    CHECK(c.depth == 32); // rank 98,303 is sixteen hops from rank 0, and none is seventeen
    CHECK(c.depth_from == model::origin::counted);
    CHECK_FALSE(c.rounds.has_value()); // what is stated is a bound
}

TEST_CASE("what needs more scratch banks than there are has no figure for scratch memory") {
    const counts c = model::count({operation::allreduce, one_shot{}, 70'000, 8});
    CHECK_FALSE(c.scratch_max.has_value());
    CHECK_FALSE(c.inbound_max.has_value());
    CHECK(c.depth == 1);
    CHECK(c.depth_from == model::origin::stated);
    CHECK(c.total_bytes == 8LL * 69'999 * 70'000);
}

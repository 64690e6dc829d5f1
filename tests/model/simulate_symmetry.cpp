// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/simulate.hpp>

#include <collectives/algorithm/prove.hpp>

#include "simulated.hpp"

#include <cstddef>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::model;
using schedule::operation;
using test::near_to;

namespace {

constexpr loggp lightweight{1e-6, 2e-7, 3e-7, 1e-9, 2e-10};

simulated by_one_rank(const collective& c, receiver_rule rule, bool symmetric) {
    simulation_settings s;
    s.receiver = rule;
    s.symmetric_beyond = symmetric ? 0 : s.most_messages;
    return simulate(c, uniform(lightweight), 1, s);
}

/// Steps of rank 0 as they would be of rank r, if ranks and chunks were counted from it.
std::vector<schedule::step> rotated(operation o, std::vector<schedule::step> steps, int r, int size, int chunks) {
    const auto shifted = [&](int chunk) { return (chunk + chunks / size * r) % chunks; };
    const auto block_shifted = [&](int block) { // of an alltoall, with one chunk a block
        return (block / size + r) % size * size + (block % size + r) % size;
    };
    for (schedule::step& s : steps) {
        if (schedule::communicates(s)) s.peer = (s.peer + r) % size;
        for (schedule::place* x : {&s.from, &s.to})
            if (x->count > 0) x->first = o == operation::alltoall ? block_shifted(x->first) : shifted(x->first);
    }
    return steps;
}

bool found_to_rotate(const algorithm::any& a, operation o, int size, bool in_place) {
    const schedule::program p = a.write(o, size, 0, in_place);
    for (int r = 1; r < size; ++r)
        if (p.ranks[static_cast<std::size_t>(r)] != rotated(o, p.ranks[0], r, size, p.chunks)) return false;
    return true;
}

/// Wrong of itself: rank 0 only sends, all others only receive.
struct star_said_to_rotate : algorithm::naive {
    static constexpr std::string_view name = "star_said_to_rotate";
    static constexpr bool steps_rotate(operation) { return true; }
};

std::string why_refused(const collective& c, int ranks_per_node) {
    try {
        static_cast<void>(simulate(c, uniform(lightweight), ranks_per_node));
    } catch (const error& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("where steps are said to rotate they do, with up to 64 ranks, and nowhere else") {
    int rotating = 0;
    for (const algorithm::any& a : algorithm::all(3))
        for (const operation o : schedule::operations) {
            if (!a.offers(o)) continue;
            INFO(std::string(a.name()) << ", " << std::string(name_of(o)));
            const bool said = a.steps_rotate(o);
            CHECK(found_to_rotate(a, o, 9, false) == said); // three nodes
            if (!said) continue;
            ++rotating;
            for (int size = 2; size <= 64; ++size)
                for (const bool in_place : {false, true}) CHECK(found_to_rotate(a, o, size, in_place));
        }
    CHECK(rotating == 9); // two algorithms' three operations, two of direct, one of bruck
}

TEST_CASE("one rank stands for all where the schedule rotates") {
    for (const algorithm::any& a : {algorithm::any(algorithm::ring{}), algorithm::any(algorithm::parameter_server{})})
        for (const operation o : {operation::allreduce, operation::reduce_scatter, operation::allgather})
            for (int size = 2; size <= 33; ++size)
                for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex}) {
                    INFO(std::string(a.name()) << ", " << std::string(name_of(o)) << ", " << size << " ranks");
                    const collective c{o, a, size, 30 * static_cast<std::size_t>(size), 0, 1 + size % 2};
                    const simulated all = by_one_rank(c, rule, false), one = by_one_rank(c, rule, true);
                    CHECK_FALSE(all.by_symmetry);
                    CHECK(one.by_symmetry);
                    CHECK(near_to(one.finish_s * 1e9, all.finish_s * 1e9));
                    CHECK(one.messages == all.messages);
                    CHECK(one.steps == all.steps);
                    CHECK(one.rank_finish_s.size() == all.rank_finish_s.size());
                }
}

TEST_CASE("by symmetry the longest chunk counts, where all wait for it") {
    // Of 8 bytes on 33 ranks the longest of the chunks has one: 64 rounds of it. Of 199 bytes on 40 it has 5, on 33 it
    // has 7. The mean would be 0, 5 and 6.
    for (const auto& [size, bytes, longest] : {std::tuple{33, 8, 1}, {40, 199, 5}, {33, 199, 7}, {7, 10'000, 1429}}) {
        const collective ring = test::allreduce_of(algorithm::ring{}, size, static_cast<std::size_t>(bytes));
        const double by_hand =
            (size - 1) * (2 * message_s(lightweight, static_cast<std::size_t>(longest)) + longest * 2e-10);
        CHECK(near_to(by_one_rank(ring, receiver_rule::serial, true).finish_s * 1e9, by_hand * 1e9));
        for (const algorithm::any& a :
             {algorithm::any(algorithm::ring{}), algorithm::any(algorithm::parameter_server{})})
            for (const operation o : {operation::allreduce, operation::reduce_scatter, operation::allgather})
                for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex}) {
                    INFO(std::string(a.name())
                         << ", " << std::string(name_of(o)) << ", " << size << " ranks, " << bytes);
                    const collective c{o, a, size, static_cast<std::size_t>(bytes)};
                    const double one = by_one_rank(c, rule, true).finish_s, all = by_one_rank(c, rule, false).finish_s;
                    CHECK(one >= all * 0.95); // uneven messages meet in another order
                    CHECK(one <= all * 1.1);
                }
    }
}

TEST_CASE("what the rank did that stands for all, it did with its own neighbours") {
    model::simulation_settings s;
    s.symmetric_beyond = 0;
    s.activities = true;
    const simulated one = simulate(test::allreduce_of(algorithm::ring{}, 5, 1000), uniform(lightweight), 1, s);
    REQUIRE(one.by_symmetry);
    for (const schedule::activity& a : one.activities)
        CHECK(a.peer == (a.what == tutti::schedule::action::send ? 1 : 4));
}

TEST_CASE("a ring of 1,024 ranks is simulated step by step, one of 100,000 by symmetry") {
    const simulated small = simulate(test::allreduce_of(algorithm::ring{}, 1024, 1 << 20), uniform(lightweight));
    CHECK_FALSE(small.by_symmetry);
    CHECK(small.messages == 2'095'104);
    CHECK(near_to(small.finish_s * 1e9, 2 * 1023 * message_s(lightweight, 1024) * 1e9 + 1023 * 1024 * 0.2));
    const simulated large = simulate(test::allreduce_of(algorithm::ring{}, 100'000, 1'000'000), uniform(lightweight));
    CHECK(large.by_symmetry);
    CHECK(large.messages == 19'999'800'000);
    CHECK(near_to(large.finish_s, 2 * 99'999 * message_s(lightweight, 10) + 99'999 * 10 * 2e-10));
}

TEST_CASE("what does not rotate is simulated step by step, or refused where it would not fit") {
    CHECK_FALSE(
        by_one_rank(test::allreduce_of(algorithm::butterfly{}, 8, 64), receiver_rule::serial, true).by_symmetry);
    CHECK(
        why_refused(test::allreduce_of(algorithm::one_shot{}, 10'000, 64), 1) ==
        "tutti: invalid argument in simulate: one_shot of 10000 ranks has more than 33554432 messages, or as many "
        "steps of which no two ranks' are alike; take its closed form, or fewer ranks; most_messages raises the limit");
    CHECK(why_refused(test::allreduce_of(algorithm::ring{}, 100'000, 64), 8).find("ring of 100000 ranks") !=
          std::string::npos);
}

TEST_CASE("where steps are said to rotate and rank 0 does not receive what it would send, that is refused") {
    const collective c{operation::broadcast, star_said_to_rotate{}, 600, 6000};
    CHECK(why_refused(c, 1) ==
          "tutti: invalid argument in simulate: ranks 0 and 1 do not send what the other receives; "
          "have verify name the fault of the schedule");
}

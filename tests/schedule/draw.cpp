// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/draw.hpp>

#include <collectives/algorithm/all.hpp>

#include "hand_made.hpp"

#include <base/error.hpp>

#include <map>
#include <set>
#include <sstream>
#include <tuple>

using namespace tutti::schedule;
using namespace tutti::test;

namespace {

/// (from, to, first chunk, chunks, reduced on arrival), matched by hand: the k-th send of a channel is its k-th
/// receive.
using ends = std::tuple<int, int, int, int, bool>;

std::multiset<ends> ends_in(const program& p) {
    std::map<std::pair<int, int>, std::vector<step>> receives_of;
    for (int to = 0; to < p.size; ++to)
        for (const step& s : p.ranks[static_cast<std::size_t>(to)])
            if (receives(s)) receives_of[{s.peer, to}].push_back(s);
    std::map<std::pair<int, int>, std::size_t> sent;
    std::multiset<ends> all;
    for (int from = 0; from < p.size; ++from)
        for (const step& s : p.ranks[static_cast<std::size_t>(from)])
            if (sends(s)) {
                const std::pair channel{from, s.peer};
                const step& other = receives_of.at(channel).at(sent[channel]++);
                all.insert({from, s.peer, s.from.first, s.from.count, other.what == action::receive_reduce});
            }
    return all;
}

std::multiset<ends> ends_in(const draw::timeline& t) {
    std::multiset<ends> all;
    for (const draw::message& m : t.messages) all.insert({m.from, m.to, m.first, m.count, m.reduced});
    return all;
}

void check_timeline(const program& p) {
    const draw::timeline t = draw::timeline_of(p);
    CHECK(ends_in(t) == ends_in(p));
    CHECK(t.rounds == verify(p).measured.rounds);
    std::set<std::pair<int, int>> sending, receiving;
    int last = 0;
    bool one_at_a_time = true, in_order = true;
    for (const draw::message& m : t.messages) {
        in_order = in_order && m.round >= last && m.round >= 1;
        if (m.part > 0) continue;
        one_at_a_time = one_at_a_time && sending.insert({m.round, m.from}).second;
        one_at_a_time = one_at_a_time && receiving.insert({m.round, m.to}).second;
        last = m.round;
    }
    CHECK((one_at_a_time && in_order));
    CHECK(last == t.rounds);
    std::size_t local = 0;
    for (const steps& list : p.ranks)
        for (const step& s : list) local += s.what == action::reduce || s.what == action::reduce_many ? 1 : 0;
    CHECK(t.reductions.size() == local);
}

draw::timeline drawn(std::string_view name, operation what, int size, int root = 0, int segments = 1) {
    return draw::timeline_of(tutti::algorithm::by_name(name, 2).write(what, size, root, false, segments));
}

} // namespace

TEST_CASE("a timeline has every message of the program once, in the rounds that verify counts") {
    for (const auto& a : tutti::algorithm::all(2))
        for (const operation what : operations)
            for (const int size : {1, 2, 3, 5, 8, 13}) {
                if (!a.offers(what)) continue;
                for (const int segments : {1, 3})
                    for (const bool in_place : {false, true}) {
                        INFO(a.name() << " " << name_of(what) << " " << size << " " << segments << " " << in_place);
                        check_timeline(a.write(what, size, has_root(what) ? size - 1 : 0, in_place, segments));
                    }
            }
}

TEST_CASE("a message carries a result when every rank's input is in all that it carries") {
    for (const int size : {2, 5, 64}) {
        const draw::timeline ring = drawn("ring", operation::allreduce, size);
        for (const draw::message& m : ring.messages)
            if (m.result != (m.round >= size)) FAIL("round " << m.round << " of a ring of " << size);
    }
    for (const draw::message& m : drawn("naive", operation::reduce, 6, 2).messages) CHECK_FALSE(m.result);
    for (const draw::message& m : drawn("one_shot", operation::allreduce, 6).messages) CHECK_FALSE(m.result);
    for (const draw::message& m : drawn("ring", operation::allgather, 6).messages) CHECK(m.result);
    // One of two chunks is complete: that is no result yet.
    const program mixed = hand_made(operation::reduce, 2,
                                    {{send(1, in(0, 2))},
                                     {receive_reduce(0, in(0, 2), bank(0, 0, 2), side::left),
                                      receive_reduce(2, bank(0, 0), bank(0, 0), side::right), send(2, bank(0, 0, 2))},
                                     {send(1, in(0)), receive(1, bank(0, 0, 2)), copy(bank(0, 0), out(0)),
                                      reduce(in(1), bank(0, 1), side::right), copy(bank(0, 1), out(1))}},
                                    2);
    const draw::timeline t = draw::timeline_of(mixed);
    REQUIRE(t.messages.size() == 3);
    CHECK_FALSE(t.messages.back().result);
    CHECK(t.reductions == std::vector<draw::reduction>{{3, 2, 1, 1, 2}});
}

TEST_CASE("chunks that travel between the same ranks take one route") {
    using draw::routes_of;
    using ids = std::vector<std::vector<int>>;
    const auto ring = routes_of(drawn("ring", operation::allreduce, 3, 0, 2));
    CHECK(ring.chunks == ids{{0, 1}, {2, 3}, {4, 5}});
    CHECK((ring.apart && ring.of_chunk == std::vector{0, 0, 1, 1, 2, 2}));
    CHECK(routes_of(drawn("double_binary_tree", operation::allreduce, 8, 0, 2)).chunks == ids{{0, 1}, {2, 3}});
    CHECK(routes_of(drawn("naive", operation::allreduce, 8, 0, 2)).chunks == ids{{0, 1}});
    CHECK_FALSE(routes_of(drawn("halving_doubling", operation::allreduce, 4)).apart);
}

TEST_CASE("the table of a ring of three, to the letter") {
    CHECK(draw::table_of(drawn("ring", operation::allreduce, 3), "ring") ==
          "ring: 4 rounds, 12 messages, 6 reductions\n"
          "\n"
          "round  rank 0  rank 1  rank 2\n"
          "    1  2>1+    0>2+    1>0+\n"
          "    2  1>1+    2>2+    0>0+\n"
          "    3  0=>1    1=>2    2=>0\n"
          "    4  2=>1    0=>2    1=>0\n"
          "\n"
          "c>r    an operand or partial sum of chunk c goes to rank r\n"
          "c>r+   likewise, and is reduced there as it comes\n"
          "c=>r   the result of chunk c goes to rank r\n"
          "c+k    k operands of chunk c are reduced, after the round above\n");
}

TEST_CASE("the table shows what is reduced after a round below it, and of one chunk no number") {
    const std::string text = draw::table_of(drawn("one_shot", operation::allreduce, 3), "all");
    CHECK(text.substr(0, text.find("\n\n>r") + 1) == "all: 2 rounds, 6 messages, 3 reductions\n"
                                                     "\n"
                                                     "round  rank 0  rank 1  rank 2\n"
                                                     "    1  >1      >2      >0\n"
                                                     "    2  >2      >0      >1\n"
                                                     "       +3      +3      +3\n");
    // Two pieces of one rank after one round take two rows.
    const std::string pieces = draw::table_of(drawn("one_shot", operation::allreduce, 2, 0, 2), "pieces");
    CHECK_THAT(pieces, Catch::Contains("\n    1  0>1     0>0\n       0+2     0+2\n    2  1>1     1>0\n       1+2"));
}

TEST_CASE("the tables of eight ranks fit into 120 columns") {
    for (const auto& a : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2)) {
        std::istringstream lines{draw::table_of(draw::timeline_of(a.write(operation::allreduce, 8)), "a")};
        for (std::string line; std::getline(lines, line);)
            if (line.size() > 120) FAIL(a.name() << ": " << line);
    }
}

TEST_CASE("what is too much to see, or wrong, is refused with the reason") {
    using Catch::Contains;
    const auto why = [](const program& p) -> std::string {
        try {
            static_cast<void>(draw::timeline_of(p));
        } catch (const tutti::error& e) {
            CHECK(e.why() == tutti::cause::invalid_argument);
            return e.what();
        }
        return "drawn";
    };
    const tutti::algorithm::any ring = tutti::algorithm::ring{};
    CHECK(why(ring.write(operation::allreduce, 64)) == "drawn");
    CHECK_THAT(why(ring.write(operation::allreduce, 65)), Contains("65 ranks are too many to draw"));
    CHECK_THAT(why(ring.write(operation::allreduce, 64, 0, false, 2)), Contains("16128 messages are too many to draw"));
    program wrong = ring.write(operation::allreduce, 4);
    wrong.ranks[2].pop_back();
    CHECK_THAT(why(wrong),
               Contains("rank 1, step 4 of the allgather (send chunk 3 of output to rank 2) never completes"));
}

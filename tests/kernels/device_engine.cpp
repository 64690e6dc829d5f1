// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "hesitant_execution.hpp"
#include "host_engine.hpp"
#include "schedule/random_program.hpp"

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace tutti;
using namespace tutti::test;
using schedule::operation;

namespace {

template <class T>
vectors<T> random_vectors(unsigned ranks, std::size_t count, std::mt19937& random) {
    vectors<T> all(ranks, std::vector<T>(count));
    for (auto& of_rank : all)
        for (T& x : of_rank) x = static_cast<T>(static_cast<float>(random() % 2000) / 7.0F - 100.0F);
    return all;
}

/// A program, with a group that runs it and what it gave.
template <class T, class Op, class Here = kernels::host_execution>
class engine_case {
public:
    using call_type = kernels::device_call<T, Op>;

    engine_case(schedule::program p, std::size_t count, unsigned seed, std::size_t lead = 0)
        : engine_case(p, kernels::device_plans_of(p, count, sizeof(T)), count, seed, lead) {}
    engine_case(schedule::program p, std::vector<kernels::device_plan> its_plans, std::size_t count, unsigned seed,
                std::size_t lead = 0)
        : program(std::move(p)), plans(std::move(its_plans)), random(seed), ranks(static_cast<unsigned>(program.size)),
          in(random_vectors<T>(ranks, count + lead, random)), out(random_vectors<T>(ranks, count + lead, random)),
          expected(without(out, lead)), lead_(lead) {
        for (const auto& plan : plans) scratch.emplace_back(plan.scratch);
        interpreter<T, Op>(program, count).run(without(in, lead), expected);
    }

    [[nodiscard]] std::vector<call_type> calls(host_engine<Here>& engine, std::uint32_t signature = 1) {
        engine.lead = lead_;
        std::vector<call_type> all;
        for (unsigned r = 0; r < ranks; ++r)
            all.push_back(engine.template call_of<T, Op>(program, r, plans[r], signature, in, out, scratch));
        return all;
    }
    /// Before and after one rank's call, if it is one of many: all that it may use is new, and is overwritten at once.
    void begin(unsigned rank) {
        in[rank] = in_[rank];
        out[rank] = out_[rank];
    }
    [[nodiscard]] bool end(unsigned rank) {
        const bool right = same_bits(out[rank], expected[rank]) && same_bits(in[rank], in_[rank]);
        for (auto* memory : {&in, &out, &scratch}) std::ranges::fill((*memory)[rank], T{-1});
        return right;
    }
    [[nodiscard]] bool is_right() const {
        const auto got = without(out, lead_);
        for (unsigned r = 0; r < ranks; ++r)
            if (!same_bits(got[r], expected[r])) return false;
        return true;
    }

    schedule::program program;
    std::vector<kernels::device_plan> plans;
    std::mt19937 random;
    unsigned ranks;
    vectors<T> in, out, expected, scratch;

private:
    static vectors<T> without(const vectors<T>& all, std::size_t lead) {
        vectors<T> rest;
        for (const auto& v : all) rest.emplace_back(v.begin() + static_cast<std::ptrdiff_t>(lead), v.end());
        return rest;
    }
    std::size_t lead_;
    vectors<T> in_ = in, out_ = out; // as they were
};

template <class Here = kernels::host_execution, class T, class Op>
void check_case(engine_case<T, Op, Here>& c, kernels::geometry shape) {
    host_engine<Here> engine(c.ranks, shape);
    engine.run(c.calls(engine));
    REQUIRE_FALSE(engine.has_failed());
    REQUIRE(c.is_right());
}
template <class T, class Op>
void check_program(schedule::program p, std::size_t count, std::size_t lead = 0) {
    engine_case<T, Op> c(std::move(p), count, 7, lead);
    check_case(c, {2, 2});
}
template <class T, class Op>
void check_engine(const algorithm::any& how, operation what, int size, int root, bool in_place, int segments,
                  std::size_t count, std::size_t lead = 0) {
    CAPTURE(how.name(), schedule::name_of(what), size, root, in_place, segments, count);
    check_program<T, Op>(how.write(what, size, root, in_place, segments), count, lead);
}

/// More than one tile for each of two blocks.
constexpr std::size_t tiles_of_floats = 5 * kernels::tile_bytes / sizeof(float) / 2 + 3;

} // namespace

TEST_CASE("every algorithm gives the bits of its schedule, on all ranks") {
    for (const int size : {1, 2, 3, 4, 5, 8})
        for (const operation what : tutti::schedule::operations)
            for (const algorithm::any& how : algorithm::all(size)) {
                if (!how.offers(what)) continue;
                // Shards are equal.
                const std::size_t count =
                    tiles_of_floats / static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
                check_engine<float, sum_operator>(how, what, size, size - 1, size % 2 == 0, 1 + size % 3, count);
            }
}

TEST_CASE("trees give the bits of their schedules where segments overtake each other") {
    for (int size = 2; size <= 8; ++size)
        for (const char* name : {"binomial_tree", "double_binary_tree"})
            for (const operation what : {operation::allreduce, operation::reduce, operation::broadcast}) {
                const int segments = 4 + size % 3 * 4;
                CAPTURE(size, name, segments);
                const auto how = algorithm::by_name(name, 1);
                engine_case<float, sum_operator, hesitant_execution> c(
                    how.write(what, size, size - 1, size % 2 == 0, segments), tiles_of_floats, 7);
                check_case(c, {2, 2});
            }
}

TEST_CASE("schedules that nobody would write give their bits, in each order") {
    int run = 0;
    for (unsigned seed = 1; seed <= effort(400U); ++seed) {
        schedule::program p = random_program(seed).write();
        const auto proof = schedule::verify(p, nullptr, schedule::bits::may_differ);
        if (!proof.proven || !proof.in_order || p.what == operation::alltoall) continue;
        p = schedule::unjoined(p);
        const std::size_t count = 60 * static_cast<std::size_t>(p.size);
        kernels::detail::order_finder finder(p);
        kernels::detail::device_planner planner(p, count, sizeof(float));
        for (const auto& orders : {finder.by_segment(), finder.by_way()}) {
            CAPTURE(seed, p.size);
            engine_case<float, sum_operator> c(p, planner.plans(orders), count, seed);
            check_case(c, {1, 2});
            ++run;
        }
    }
    CHECK(run > effort(200));
}

TEST_CASE("other elements, few of them, and vectors that are aligned to elements alone") {
    for (const algorithm::any& how : algorithm::all(tutti::schedule::operation::allreduce, 4))
        for (const std::size_t count : {0, 1, 3, 9, 130}) {
            check_engine<bfloat16, sum_operator>(how, operation::allreduce, 4, 0, count % 2 == 0, 2, count, 1);
            check_engine<std::int64_t, maximum_operator>(how, operation::allreduce, 4, 0, true, 1, count);
            check_engine<std::uint8_t, sum_operator>(how, operation::allreduce, 3, 0, false, 3, count, 3);
        }
}

TEST_CASE("a step may take what other threads of its block have written in the step before") {
    using namespace schedule;
    const auto bank = scratch(0);
    program p{operation::allreduce, 1, 0, false, 3, {}};
    p.ranks = {{copy({buffer::input, 0, 3}, {bank, 0, 3})}};
    for (int chunk = 0; chunk < 3; ++chunk) p.ranks[0].push_back(copy({bank, chunk, 1}, {buffer::output, chunk, 1}));
    check_program<float, sum_operator>(p, tiles_of_floats);
}

TEST_CASE("calls one after the other, of many schedules, by ranks of which some are ahead") {
    constexpr int ranks = 3;
    std::vector<engine_case<float, sum_operator, hesitant_execution>> cases;
    for (const operation what : {operation::allreduce, operation::broadcast, operation::reduce})
        for (const algorithm::any& how : algorithm::all(ranks))
            if (how.offers(what))
                for (const int segments : {1, 3})
                    cases.emplace_back(how.write(what, ranks, 1, false, segments), 900, 5);
    host_engine<hesitant_execution> engine(ranks, {2, 2});
    engine.pretend_calls(0xffff'fff0U); // which wraps
    const int calls = effort(10) * static_cast<int>(cases.size());
    const auto number_of = [&](int call) { return static_cast<std::size_t>(call) % cases.size(); };
    std::vector<std::vector<kernels::device_call<float, sum_operator>>> prepared;
    for (std::size_t k = 0; k < cases.size(); ++k)
        prepared.push_back(cases[k].calls(engine, static_cast<std::uint32_t>(k)));
    std::atomic<int> wrong{0};
    engine.back_to_back(
        calls, [&](unsigned rank, int call) { cases[number_of(call)].begin(rank); },
        [&](unsigned rank, int call, const hesitant_execution& here, std::uint64_t* failed) {
            prepared[number_of(call)][rank](failed, here);
        },
        [&](unsigned rank, int call) { wrong += !cases[number_of(call)].end(rank); });
    CHECK_FALSE(engine.has_failed());
    CHECK(wrong == 0);
}

TEST_CASE("in an alltoall in place no block overwrites what another one of the peer's has yet to read") {
    for (int i = 0; i < effort(40); ++i)
        check_engine<float, sum_operator>(algorithm::direct{}, operation::alltoall, 2 + i % 3, 0, true, 1 + i % 2,
                                          static_cast<std::size_t>(2 + i % 3) * tiles_of_floats);
}

TEST_CASE("an alltoall whose steps go over several blocks is refused") {
    using namespace schedule;
    const auto in = [](int block) { return place{buffer::input, block, 1}; };
    const auto out = [](int block) { return place{buffer::output, block, 1}; };
    const place row{scratch(0), 0, 2};
    program p{operation::alltoall, 2, 0, false, 4, {}};
    p.ranks = {{copy(in(0), {scratch(0), 0, 1}), receive(1, {scratch(0), 1, 1}), copy(row, {buffer::output, 0, 2}),
                send(1, in(2))},
               {send(0, in(1)), receive(0, out(2)), copy(in(3), out(3))}};
    REQUIRE(verify(p).message() == "proven");
    CHECK_THROWS_AS(kernels::device_plans_of(p, 10, 4), error);
    const auto direct = algorithm::by_name("direct").write(operation::alltoall, 2);
    CHECK_NOTHROW(kernels::device_plans_of(direct, 10, 4));
    CHECK_THROWS_AS(kernels::device_plans_of(direct, 5, 4), error); // no equal blocks
}

TEST_CASE("messages behind one that is viewed are acknowledged with it") {
    using namespace schedule;
    const place in{buffer::input, 0, 1}, out{buffer::output, 0, 1}, x{scratch(0), 0, 1}, y{scratch(1), 0, 1};
    const std::array own{buffer::input};
    program p{operation::allreduce, 2, 0, false, 1, {}};
    p.ranks = {
        {copy(in, x), send(1, x), send(1, in), receive(1, y), reduce_many(in, std::array{scratch(1)}, x), copy(x, out)},
        {receive(0, x), receive(0, y), send(0, in), reduce_many(x, own, out)}};
    const auto plans = kernels::device_plans_of(p, 10, 4);
    std::vector<std::uint32_t> acknowledged;
    for (const auto& s : plans[1].steps)
        if (s.what == kernels::device_action::acknowledge) acknowledged.push_back(s.number);
    CHECK(acknowledged == std::vector<std::uint32_t>{2});
    check_program<float, sum_operator>(p, tiles_of_floats);
}

TEST_CASE("a rank that comes to another call after some good ones is found, also where it is ahead") {
    constexpr int ranks = 3;
    engine_case<float, sum_operator> c(algorithm::by_name("binomial_tree", 1).write(operation::broadcast, ranks), 100,
                                       1);
    host_engine engine(ranks, {2, 2}, std::chrono::seconds(20));
    const auto good = c.calls(engine, 1), other = c.calls(engine, 2);
    engine.back_to_back(
        4, [](unsigned, int) {},
        [&](unsigned rank, int call, const kernels::host_execution& here, std::uint64_t* failed) {
            (rank == 2 && call == 3 ? other : good)[rank](failed, here);
        },
        [](unsigned, int) {});
    CHECK(engine.failure_of(0).why == kernels::group_failure::mismatch);
    CHECK(engine.failure_of(2).why == kernels::group_failure::mismatch);
}

TEST_CASE("a rank that does not come ends the call of all others, whom they wait for as well") {
    engine_case<float, sum_operator> c(algorithm::by_name("ring", 1).write(operation::allreduce, 4), 100, 1);
    host_engine engine(4, {2, 2}, std::chrono::seconds(2));
    engine.run(c.calls(engine), [](unsigned r) { return r != 2; });
    for (const unsigned r : {0U, 1U, 3U}) {
        CAPTURE(r);
        CHECK(engine.failure_of(r).why == kernels::group_failure::timeout);
    }
    for (auto& g : engine.groups) g.timeout_ns = 3'600'000'000'000;
    engine.run(c.calls(engine), [](unsigned r) { return r == 2; }); // hears of it at once
    CHECK(engine.failure_of(2).why == kernels::group_failure::timeout);
}

TEST_CASE("ranks that come to different calls hear of it") {
    engine_case<float, sum_operator> c(algorithm::by_name("butterfly", 1).write(operation::allreduce, 4), 100, 1);
    host_engine engine(4, {2, 2});
    auto calls = c.calls(engine, 1);
    calls[3].signature = 2;
    engine.run(calls);
    for (unsigned r = 0; r < 4; ++r) {
        CAPTURE(r);
        CHECK(engine.failure_of(r).why == kernels::group_failure::mismatch);
        CHECK((engine.failure_of(r).peer == 3 || engine.failure_of(r).found_by == 3));
    }
}

TEST_CASE("a program that is not proven, or is for too many, is refused") {
    auto p = algorithm::by_name("ring", 1).write(operation::allreduce, 3);
    p.ranks[1].pop_back();
    CHECK_THROWS_AS(kernels::device_plans_of(p, 10, 4), error);
    p = algorithm::by_name("ring", 1).write(operation::allreduce, 3);
    p.segments = 2; // its three chunks are not
    CHECK_THROWS_AS(kernels::device_plans_of(p, 10, 4), error);
    CHECK_THROWS_AS(kernels::device_plans_of(algorithm::by_name("ring", 1).write(operation::allreduce, 9), 10, 4),
                    error);
}

TEST_CASE("ranks that receive before they send, though nothing orders the two, do not wait for each other") {
    using namespace schedule;
    const place mine{buffer::output, 0, 1}, other{buffer::output, 1, 1};
    program crossed{operation::allgather, 2, 0, false, 2, {}};
    crossed.ranks = {{receive(1, other), copy({buffer::input, 0, 1}, mine), send(1, {buffer::input, 0, 1})},
                     {receive(0, mine), copy({buffer::input, 1, 1}, other), send(0, {buffer::input, 1, 1})}};
    REQUIRE(verify(crossed).proven);
    const auto plans = kernels::device_plans_of(crossed, 10, sizeof(float));
    vectors<float> in{{0, 1, 2, 3, 4, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 5, 6, 7, 8, 9}}, out{2, std::vector<float>(10)},
        scratch(2);
    host_engine engine(2, {1, 2});
    std::vector<kernels::device_call<float, sum_operator>> calls;
    for (unsigned r = 0; r < 2; ++r)
        calls.push_back(engine.call_of<float, sum_operator>(crossed, r, plans[r], 1, in, out, scratch));
    engine.run(calls);
    const std::vector<float> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(out == vectors<float>{all, all});
}

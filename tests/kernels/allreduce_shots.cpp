// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "hesitant_execution.hpp"
#include "host_group.hpp"
#include "host_launch.hpp"
#include "kernels/optimizer.hpp"

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

template <class T, class Op>
using plain = kernels::reduction<T, Op, kernels::stored<T>>;

template <class T, class Op>
plain<T, Op> reading_all(const std::vector<std::vector<T>>& in, std::size_t offset) {
    plain<T, Op> what;
    what.sources = static_cast<unsigned>(in.size());
    what.count = in[0].size() - offset;
    for (unsigned r = 0; r < what.sources; ++r) what.from[r] = in[r].data() + offset;
    return what;
}

/// Vectors that begin `offset` elements into their memory.
template <class T, class Op>
void check_both(unsigned ranks, std::size_t count, std::size_t offset) {
    CAPTURE(ranks, count, offset);
    host_group group(ranks, {2, 2});
    const allreduce_case<T, Op> c(ranks, count + offset, 3);
    const std::vector<T> expected(c.expected.begin() + static_cast<std::ptrdiff_t>(offset), c.expected.end());

    std::vector<std::vector<T>> out(ranks, std::vector<T>(count));
    group.shot(1, [&](unsigned r) {
        auto what = reading_all<T, Op>(c.in, offset);
        what.last.to[0] = out[r].data();
        return what;
    });
    for (const auto& mine : out) REQUIRE(same_bits(mine, expected));

    // Two shots, in place.
    auto data = c.in;
    group.shot(2, [&](unsigned r) {
        auto what = reading_all<T, Op>(data, offset);
        for (unsigned p = 0; p < ranks; ++p) what.last.to[p] = data[p].data() + offset;
        what.last.number = ranks;
        return kernels::part_of(what, r, ranks);
    });
    for (unsigned r = 0; r < ranks; ++r) {
        std::vector<T> whole = c.in[r];
        std::copy(expected.begin(), expected.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset));
        REQUIRE(same_bits(data[r], whole));
    }
    REQUIRE_FALSE(group.has_failed());
}

} // namespace

TEST_CASE("allreduce in one shot and in two has the bits of the definition, on all ranks") {
    for (const unsigned ranks : {1U, 2U, 3U, 5U, 8U})
        for (const std::size_t count : {0, 1, 5, 64, 301}) {
            check_both<float, sum_operator>(ranks, count, count % 3);
            check_both<bfloat16, sum_operator>(ranks, count, count % 5);
            check_both<std::int64_t, maximum_operator>(ranks, count, 1);
        }
    check_both<float8_e4m3, product_operator>(3, 100, 7);
}

TEST_CASE("parts cover the vector, and begin at multiples of 16 bytes") {
    for (unsigned parts = 1; parts <= kernels::most_peers; ++parts)
        for (std::size_t count = 0; count < 200; count += 1 + count / 7) {
            plain<bfloat16, sum_operator> whole;
            whole.sources = parts;
            whole.count = count;
            whole.first = 3;
            std::size_t next = whole.first;
            for (unsigned p = 0; p < parts; ++p) {
                const auto part = kernels::part_of(whole, p, parts);
                REQUIRE(part.first == next);
                REQUIRE((part.first - whole.first) % 8 == 0);
                next += part.count;
                REQUIRE(part.count <= count / parts + 16);
                REQUIRE(part.count + 16 >= count / parts);
            }
            REQUIRE(next == whole.first + count);
        }
}

TEST_CASE("many calls one after the other, with updates of weights behind one shot") {
    constexpr unsigned ranks = 3;
    constexpr std::size_t count = 50;
    host_group group(ranks, {2, 2});
    std::vector<std::vector<float>> weights(ranks, std::vector<float>(count, 1.0F));
    std::vector<float> expected(count, 1.0F);
    using update = kernels::scaled<float, kernels::sgd<kernels::nothing>>;
    using step_type = kernels::reduction<bfloat16, sum_operator, update>;
    for (unsigned step = 0; step < static_cast<unsigned>(effort(50)); ++step) {
        const allreduce_case<bfloat16, sum_operator> c(ranks, count, step);
        const auto step_of = [&](std::vector<float>& of) {
            step_type what;
            what.sources = ranks;
            what.count = count;
            for (unsigned r = 0; r < ranks; ++r) what.from[r] = c.in[r].data();
            what.last = {1.0F / ranks, {of.data(), 0.1F, 0.0F, {}}};
            return what;
        };
        group.shot(step, [&](unsigned r) { return step_of(weights[r]); });
        launch_on_host(step_of(expected), {1, 2});
        for (const auto& mine : weights) REQUIRE(same_bits(mine, expected));
    }
    CHECK_FALSE(group.has_failed());
}

TEST_CASE("a rank may be a call ahead: shots and packets one after the other, in any order") {
    constexpr unsigned ranks = 3;
    constexpr std::size_t count = 45;
    using sum = plain<float, sum_operator>;
    const int calls = effort(300);
    host_group<hesitant_execution> group(ranks, {2, 2}, 64);
    std::vector<allreduce_case<float, sum_operator>> cases;
    for (int call = 0; call < calls; ++call) cases.emplace_back(ranks, count, static_cast<unsigned>(call));
    std::vector<std::vector<float>> in(ranks, std::vector<float>(count)), out = in;
    std::atomic<int> wrong{0};
    const auto case_of = [&](int call) -> auto& { return cases[static_cast<std::size_t>(call)]; };
    group.back_to_back(
        calls, [&](unsigned rank, int call) { std::ranges::copy(case_of(call).in[rank], in[rank].begin()); },
        [&](unsigned rank, int call, const hesitant_execution& here, std::uint64_t* failed) {
            auto what = reading_all<float, sum_operator>(in, 0);
            what.last.to[0] = out[rank].data();
            if (call % 5 == 0) return group.run_shot(rank, 1, what, here, failed);
            if (call % 3 != 0) {
                const sum mine{{in[rank].data()}, 1, count, {{out[rank].data()}, 1}};
                return kernels::allreduce_packets<3>(group.groups[rank], group.boxes, 2, mine, failed, here);
            }
            for (unsigned p = 0; p < ranks; ++p) what.last.to[p] = out[p].data();
            what.last.number = ranks;
            group.run_shot(rank, 3, kernels::part_of(what, rank, ranks), here, failed);
        },
        [&](unsigned rank, int call) { wrong += !same_bits(out[rank], case_of(call).expected); });
    CHECK(wrong == 0);
    CHECK_FALSE(group.has_failed());
}

TEST_CASE("a rank that does not come ends the call of the others, and the group") {
    host_group group(3, {2, 2}, 0, std::chrono::seconds(2));
    const allreduce_case<float, sum_operator> c(3, 40, 1);
    std::vector<std::vector<float>> out(3, std::vector<float>(40));
    const auto what_of = [&](unsigned r) {
        auto what = reading_all<float, sum_operator>(c.in, 0);
        what.last.to[0] = out[r].data();
        return what;
    };
    group.shot(1, what_of, [](unsigned r) { return r != 1; });
    for (const unsigned r : {0U, 2U}) {
        CHECK(group.failure_of(r).why == kernels::group_failure::timeout);
        CHECK(group.failure_of(r).peer == 1);
    }
    CHECK(group.failure_of(1) == kernels::failure_word{});
    // It learns it at its next call, at once though the patience is over for nobody.
    for (auto& g : group.groups) g.timeout_ns = 3'600'000'000'000;
    group.shot(2, what_of, [](unsigned r) { return r == 1; });
    CHECK(group.failure_of(1).why == kernels::group_failure::timeout);
    CHECK(group.failure_of(1).peer == 1);
}

TEST_CASE("ranks that come to different calls all hear of it") {
    host_group group(4, {2, 2});
    const allreduce_case<float, sum_operator> c(4, 40, 1);
    std::vector<std::vector<float>> out(4, std::vector<float>(40));
    group.shot_with([](unsigned r) { return r == 2 ? 5U : 4U; },
                    [&](unsigned r) {
                        auto what = reading_all<float, sum_operator>(c.in, 0);
                        what.last.to[0] = out[r].data();
                        return what;
                    },
                    group.everyone);
    for (unsigned r = 0; r < 4; ++r) {
        CAPTURE(r);
        CHECK(group.failure_of(r).why == kernels::group_failure::mismatch);
        CHECK((group.failure_of(r).peer == 2 || group.failure_of(r).found_by == 2));
    }
}

TEST_CASE("groups that make no sense are refused") {
    host_group group(2, {1, 1});
    const std::vector<std::vector<float>> in(2, std::vector<float>(4));
    auto what = reading_all<float, sum_operator>(in, 0);
    std::vector<float> out(4);
    what.last.to[0] = out.data();
    CHECK_NOTHROW(kernels::access_of_shot(group.groups[0], what));
    what.sources = 1;
    CHECK_THROWS_AS(kernels::access_of_shot(group.groups[0], what), error);
    auto g = group.groups[0];
    g.rank = 2;
    CHECK_THROWS_AS(kernels::check_group(g), error);
    g = group.groups[0];
    g.size = 9;
    CHECK_THROWS_AS(kernels::check_group(g), error);
    g = group.groups[0];
    g.blocks = kernels::most_group_blocks + 1;
    CHECK_THROWS_AS(kernels::check_group(g), error);
}

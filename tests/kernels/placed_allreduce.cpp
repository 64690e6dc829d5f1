// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "kernels/allreduce/placed_allreduce.hpp"

#include "hesitant_execution.hpp"
#include "host_group.hpp"

#include "support/catch.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t most = 90;              // elements of a call
constexpr unsigned windows_of_each = 3;       // pieces of memory
constexpr std::size_t room = 2 * (most + 20); // elements of each

/// Memory of ranks whose data are somewhere else in each call.
template <class T>
struct scattered_data {
    explicit scattered_data(unsigned ranks) : memory(ranks) {
        for (unsigned r = 0; r < ranks; ++r)
            for (unsigned w = 0; w < windows_of_each; ++w) {
                memory[r][w].resize(room);
                table.start[r][w] = reinterpret_cast<std::byte*>(memory[r][w].data());
            }
    }
    std::vector<std::array<std::vector<T>, windows_of_each>> memory;
    kernels::window_table table;
};

/// Where one rank's data of one call are: in place in one call of three.
struct drawn_places {
    template <class T>
    static drawn_places of(unsigned rank, int call) {
        std::minstd_rand random(static_cast<unsigned>(call) * 64 + rank + 1);
        random.discard(3);
        const auto place = [&](std::size_t begin) {
            return kernels::window_place{random() % windows_of_each, (begin + random() % 9) * sizeof(T)};
        };
        drawn_places p;
        p.in = place(0);
        p.out = random() % 3 == 0 ? p.in : place(most + 20);
        return p;
    }
    kernels::window_place in, out;
};

template <class T, class Op>
void check_calls(unsigned ranks, int calls) {
    host_group<hesitant_execution> group(ranks, {2, 2});
    scattered_data<T> data(ranks);
    std::vector<allreduce_case<T, Op>> cases;
    for (int call = 0; call < calls; ++call)
        cases.emplace_back(ranks, static_cast<std::size_t>(call) * 37 % (most + 1), static_cast<unsigned>(call));
    const auto case_of = [&](int call) -> auto& { return cases[static_cast<std::size_t>(call)]; };
    std::atomic<int> wrong{0};
    group.back_to_back(
        calls,
        [&](unsigned rank, int call) {
            std::ranges::copy(case_of(call).in[rank],
                              data.table.template at<T>(drawn_places::of<T>(rank, call).in, rank));
        },
        [&](unsigned rank, int call, const hesitant_execution& here, std::uint64_t* failed) {
            const auto at = drawn_places::of<T>(rank, call);
            kernels::placed_allreduce<kernels::most_peers, T, Op, kernels::stored<T>> mine;
            mine.group = group.groups[rank];
            mine.signature = 3;
            mine.count = case_of(call).expected.size();
            mine.may_be_one_shot = call % 2 == 0;
            mine.windows = data.table;
            mine.in = at.in;
            mine.out = at.out;
            mine(failed, here);
        },
        [&](unsigned rank, int call) {
            const auto& expected = case_of(call).expected;
            const T* const out = data.table.template at<T>(drawn_places::of<T>(rank, call).out, rank);
            wrong += !same_bits(std::vector<T>(out, out + expected.size()), expected);
        });
    CHECK(wrong == 0);
    CHECK_FALSE(group.has_failed());
}

} // namespace

TEST_CASE("ranks whose data are at other places in each call allreduce them, in one shot and in two") {
    check_calls<float, sum_operator>(2, effort(120));
    check_calls<bfloat16, sum_operator>(3, effort(120));
    check_calls<std::int64_t, maximum_operator>(1, effort(30));
}

TEST_CASE("a host that tells of a lost rank ends what the kernels wait for, on every rank") {
    host_group group(3, {2, 2}, 0, std::chrono::seconds(3600));
    scattered_data<float> data(3);
    const kernels::failure_word lost{kernels::group_failure::lost, 0, 2};
    std::atomic_ref(*group.groups[0].report).store(kernels::packed(lost));
    group.shot_with([](unsigned) { return 1U; },
                    [&](unsigned r) {
                        kernels::reduction<float, sum_operator, kernels::stored<float>> what;
                        what.sources = 3;
                        what.count = most;
                        for (unsigned p = 0; p < 3; ++p) what.from[p] = data.memory[p][0].data();
                        what.last.to[0] = data.memory[r][1].data();
                        return what;
                    },
                    [](unsigned r) { return r != 2; }); // whose process has ended
    for (const unsigned r : {0U, 1U}) CHECK(group.failure_of(r) == lost);
}

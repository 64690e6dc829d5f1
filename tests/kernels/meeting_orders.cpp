// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Two ranks in every order of their steps, up to a number of preemptions.
#include "host_group.hpp"
#include "stepped_execution.hpp"

#include "support/catch.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

using namespace tutti;
using namespace tutti::test;

namespace {

/// Two ranks of one number each. In each call both give a number of their own and get the sum.
struct two_ranks {
    std::array<kernels::flag_page, 2> pages{};
    std::array<kernels::block_counters, 2> counters{};
    std::array<std::uint64_t, 2> reports{}, failed{};
    std::array<std::array<std::uint64_t, kernels::packet_box_words(2, 1, 1)>, 2> words{};
    std::array<std::int32_t, 2> in{}, out{};
    stepped_execution::stores stores{0};
    kernels::packet_boxes boxes{{words[0].data(), words[1].data()}, 1};

    [[nodiscard]] kernels::peer_group group_of(unsigned rank) {
        return {rank, 2, 1, {&pages[0], &pages[1]}, &counters[rank], &reports[rank], 1};
    }
    [[nodiscard]] static std::int32_t number(unsigned rank, int call) {
        return static_cast<std::int32_t>(10 * call + 1) << (8 * rank);
    }

    /// Makes `calls` by `allreduce(rank, here)`. Returns how many of the sums were wrong.
    int run(unsigned rank, int calls, const std::function<void(unsigned, const stepped_execution&)>& allreduce) {
        const stepped_execution here(stores);
        int wrong = 0;
        for (int call = 0; call < calls; ++call) {
            in[rank] = number(rank, call);
            allreduce(rank, here);
            wrong += out[rank] != number(0, call) + number(1, call);
        }
        return wrong;
    }
};

struct verdict {
    interleavings::result all;
    int wrong = 0, failed = 0;
};

/// `allreduce(world, rank, here)` is one call.
verdict explore(int preemptions, int calls,
                const std::function<void(two_ranks&, unsigned, const stepped_execution&)>& allreduce) {
    verdict found;
    std::array<int, 2> wrong{};
    std::unique_ptr<two_ranks> world;
    const auto judge = [&] {
        if (!world) return;
        found.wrong += wrong[0] + wrong[1];
        found.failed += world->reports[0] != 0 || world->reports[1] != 0;
    };
    found.all = interleavings::explore(preemptions, [&] {
        judge();
        world = std::make_unique<two_ranks>();
        const auto body = [&](unsigned rank) {
            return [&, rank] {
                wrong[rank] = world->run(
                    rank, calls, [&](unsigned r, const stepped_execution& here) { allreduce(*world, r, here); });
            };
        };
        return std::vector<interleavings::body>{body(0), body(1)};
    });
    judge();
    return found;
}

using sum_of_one = kernels::reduction<std::int32_t, sum_operator, kernels::stored<std::int32_t>>;

sum_of_one one_shot(two_ranks& w, unsigned rank) { return {{&w.in[0], &w.in[1]}, 2, 1, {{&w.out[rank]}, 1}}; }

} // namespace

TEST_CASE("two ranks allreduce in one shot in every order") {
    const auto found = explore(2, 2, [](two_ranks& w, unsigned rank, const stepped_execution& here) {
        const auto group = w.group_of(rank);
        kernels::allreduce_shot<1, 2>(group, 1, one_shot(w, rank), {}, &w.failed[rank], here);
    });
    CHECK(found.wrong == 0);
    CHECK(found.failed == 0);
    CHECK(found.all.stuck == 0);
    CHECK(found.all.runs > 1000);
}

TEST_CASE("without the second meeting there are orders that go wrong") {
    const auto found = explore(1, 2, [](two_ranks& w, unsigned rank, const stepped_execution& here) {
        const auto group = w.group_of(rank);
        kernels::detail::block_in_group<stepped_execution> block(group, 1, &w.failed[rank], here);
        static_cast<void>(block.meet());
        kernels::reduce_many<1, 2>(one_shot(w, rank), {}, here);
        block.end();
    });
    CHECK(found.wrong > 0);
}

namespace {

void by_packets(two_ranks& w, unsigned rank, const stepped_execution& here) {
    const auto group = w.group_of(rank);
    const sum_of_one what{{&w.in[rank]}, 1, 1, {{&w.out[rank]}, 1}};
    kernels::allreduce_packets<2>(group, w.boxes, 1, what, &w.failed[rank], here);
}

} // namespace

TEST_CASE("two ranks allreduce by packets in every order, with epochs that come again") {
    for (const auto& [preemptions, calls] : {std::pair{2, 1}, std::pair{1, 5}}) {
        const auto found = explore(preemptions, calls, by_packets);
        CAPTURE(preemptions, calls);
        CHECK(found.wrong == 0);
        CHECK(found.failed == 0);
        CHECK(found.all.stuck == 0);
        CHECK(found.all.runs > 100);
    }
}

TEST_CASE("an epoch that comes again without cleaning goes wrong") {
    const auto found = explore(1, 3, [](two_ranks& w, unsigned rank, const stepped_execution& here) {
        if (w.counters[rank].packet_calls == 2) w.counters[rank].packet_calls = 3; // as call 1: half and epoch
        by_packets(w, rank, here);
    });
    CHECK(found.wrong > 0);
}

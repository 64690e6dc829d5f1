// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/gpu/kernels.hpp>
#include <collectives/model/gpu/simulate.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <vector>

using Catch::Contains;
using namespace tutti::model;

namespace {

/// Eight GPUs of a switch, whose links are a fifth as fast as their memories.
gpu_host switched() { return {8, 3, 0.2, {0.1, 0.5, 0.25}, {{1, 2, 4}, 1, 0, 0}}; }
/// Four GPUs, two on each switch.
gpu_host two_switches() { return {4, 0, 0, {}, {{}, 1, 2, 1}}; }

gpu_step message(gpu_action what, int peer, std::uint32_t number) { return {what, peer, number}; }
gpu_step combining(double bytes, std::vector<int> sources) {
    return {gpu_action::combine, 0, 0, bytes, std::move(sources)};
}
using rank_steps = std::vector<std::vector<gpu_step>>;

} // namespace

TEST_CASE("kernels take a launch, their meetings, and their bytes through links and memories") {
    constexpr double n = 1000;
    const gpu_host on = switched();
    for (int p = 2; p <= 8; ++p) {
        const gpu_placement where{p};
        CAPTURE(p);
        CHECK(kernel_s(gpu_kernel::packets, on, where, n) ==
              Approx(3 + 1 + std::max(2 * (p - 1) * n, 0.2 * (4 * (p - 1) + 2) * n)));
        CHECK(kernel_s(gpu_kernel::one_shot, on, where, n) ==
              Approx(3 + 2 * (2 + 1) + 2 + std::max((p - 1) * n, 0.2 * (p + 1) * n)));
        CHECK(kernel_s(gpu_kernel::two_shots, on, where, n) ==
              Approx(3 + 2 * (2 + 1) + 4 + std::max(2. * (p - 1) / p * n, 0.2 * 2 * n)));
    }
}

TEST_CASE("ranks that share a GPU share its memory, and two shots move 2 P N bytes in all") {
    constexpr double n = 1000;
    for (int p = 2; p <= 8; ++p) {
        const gpu_placement where{p, true};
        CHECK(kernel_s(gpu_kernel::two_shots, switched(), where, n) == Approx(3 + 2 * 0.6 + 4 * 0.1 + 0.2 * 2 * p * n));
        CHECK(kernel_s(gpu_kernel::one_shot, switched(), where, n) ==
              Approx(3 + 2 * 0.6 + 2 * 0.1 + 0.2 * p * (p + 1) * n));
        CHECK(kernel_s(gpu_kernel::packets, switched(), where, n) == Approx(3 + 0.1 + 0.2 * p * (4 * (p - 1) + 2) * n));
    }
}

TEST_CASE("what passes between switches shares an uplink") {
    constexpr double n = 100;
    const gpu_placement where{4};
    // Of each switch two ranks read the whole of two inputs beyond it.
    CHECK(kernel_s(gpu_kernel::one_shot, two_switches(), where, n) == Approx(4 * n));
    CHECK(kernel_s(gpu_kernel::two_shots, two_switches(), where, n) == Approx(2 * n));
    CHECK(sent_bytes(gpu_kernel::one_shot, 4, n) == 3 * n);
    CHECK(sent_bytes(gpu_kernel::two_shots, 4, n) == 1.5 * n);
    CHECK(sent_bytes(gpu_kernel::packets, 4, n) == 6 * n);
}

TEST_CASE("shares are fair: all grow together, until what they want is used up") {
    const auto shares = [](const std::vector<std::vector<double>>& wanted) {
        return tutti::model::detail::fair_shares(wanted);
    };
    CHECK(shares({}).empty());
    CHECK(shares({{1, 0}, {0, 1}}) == std::vector<double>{1, 1});
    CHECK(shares({{1, 0}, {1, 0}}) == std::vector<double>{0.5, 0.5});
    // The third is alone with what the first two leave of the second thing.
    const auto three = shares({{1, 0.25}, {1, 0.25}, {0, 1}});
    CHECK(three[0] == Approx(0.5));
    CHECK(three[1] == Approx(0.5));
    CHECK(three[2] == Approx(0.75));
}

TEST_CASE("a message is posted, read where it lies and acknowledged") {
    gpu_host on = switched();
    on.links.s_per_byte = 0.01;
    on.memory_s_per_byte = 0;
    const rank_steps steps{
        {message(gpu_action::post, 1, 1), message(gpu_action::await_taken, 1, 1)},
        {message(gpu_action::await_post, 0, 1), combining(100, {0, 1}), message(gpu_action::acknowledge, 0, 1)}};
    // A launch, the post, its way, the bytes, their latency there and back, the acknowledgement, its way.
    CHECK(simulate_gpus(on, {2}, steps) == Approx(3 + 4 + 1 + 1 + 2 + 4 + 1));
    CHECK(simulate_gpus(on, {2, true}, steps) == Approx(3 + 0.25 + 0.1 + 0.2 + 0.25 + 0.1));
}

TEST_CASE("a rank does one step after the other, and those that read one memory share its link") {
    gpu_host on{3, 0, 0, {}, {{0, 0, 10}, 1, 0, 0}};
    const auto reader = std::vector{message(gpu_action::await_post, 0, 1), combining(100, {0})};
    CHECK(simulate_gpus(on, {3}, rank_steps{{message(gpu_action::post, 1, 1)}, reader, {}}) == Approx(110));
    // The second reader is told later: each has the link alone for 10 s, and half of it for the rest.
    const std::vector<gpu_step> both{message(gpu_action::post, 1, 1), message(gpu_action::post, 2, 1)};
    CHECK(simulate_gpus(on, {3}, rank_steps{both, reader, reader}) == Approx(210));
    // A combine of the poster's own comes first.
    on.memory_s_per_byte = 0.5;
    CHECK(simulate_gpus(on, {3}, rank_steps{{combining(30, {0}), message(gpu_action::post, 1, 1)}, reader, {}}) ==
          Approx(30 + 10 + 100));
}

TEST_CASE("an acknowledgement tells of all messages before it, and nothing waits for message 0") {
    const gpu_host on{2, 0, 0, {}, {{1, 0, 0}, 0, 0, 0}};
    const rank_steps steps{{message(gpu_action::await_taken, 1, 0), message(gpu_action::post, 1, 1),
                            message(gpu_action::post, 1, 2), message(gpu_action::await_taken, 1, 1)},
                           {message(gpu_action::await_post, 0, 2), message(gpu_action::acknowledge, 0, 2)}};
    CHECK(simulate_gpus(on, {2}, steps) == 2);
}

TEST_CASE("ranks that wait for each other for ever are told") {
    const rank_steps steps{{message(gpu_action::await_post, 1, 1), message(gpu_action::post, 1, 1)},
                           {message(gpu_action::await_post, 0, 1), message(gpu_action::post, 0, 1)}};
    CHECK_THROWS_WITH(simulate_gpus(switched(), {2}, steps), Contains("rank 0 waits for ever"));
    CHECK_THROWS_WITH(simulate_gpus(switched(), {3}, steps), Contains("the steps are not of 3 ranks"));
    CHECK_THROWS_WITH(simulate_gpus(switched(), {1}, rank_steps{steps[0]}), Contains("not of 1 ranks"));
    CHECK_THROWS_WITH(simulate_gpus(switched(), {1}, rank_steps{{combining(1, {0, 1})}}), Contains("not of 1 ranks"));
}

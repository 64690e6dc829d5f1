// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Ranks that share this device and allreduce by kernels that meet: right, again and again, in graphs; and what happens
// when a rank does not come. With an argument, little of it: for compute-sanitizer.
#include "group.hpp"
#include "told.hpp"

#include "kernels/host_group.hpp"
#include "kernels/host_launch.hpp"

#include <string>

using namespace tutti;
using namespace tutti::gpu_check;

namespace {

constexpr unsigned blocks = 4;

template <class T>
std::string ways(unsigned ranks, std::size_t count, int rounds) {
    device_group<T> group(ranks, blocks, count, 4096);
    const stream s;
    std::string wrong;
    for (int round = 0; round < rounds; ++round) {
        const test::allreduce_case<T, sum_operator> c(ranks, count, static_cast<unsigned>(round));
        const auto try_it = [&](const char* how, const auto& launch) {
            for (unsigned r = 0; r < ranks; ++r) {
                group.in[r].set(c.in[r]);
                group.out[r].fill(0xa5);
            }
            launch();
            s.finish();
            for (unsigned r = 0; r < ranks; ++r)
                if (!test::same_bits(group.out[r].get(), c.expected))
                    wrong += std::string(how) + " round " + std::to_string(round) + " rank " + std::to_string(r) + "; ";
        };
        try_it("one shot", [&] { group.launch_shots(group.one_shot(), 1, s.get()); });
        try_it("two shots", [&] { group.launch_shots(group.two_shots(), 2, s.get()); });
        if (kernels::packets_of<T>(count) <= group.boxes.capacity)
            try_it("packets", [&] { group.launch_packets(group.packets(), 3, s.get()); });
    }
    return group.failed() ? wrong + "the group failed" : wrong;
}

void right_sums(bool little) {
    for (const unsigned ranks : {1U, 2U, 4U, 8U})
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1003}, std::size_t{300'001}}) {
            if (little && (ranks > 2 || count > 2000)) continue;
            const std::string name = std::to_string(ranks) + " ranks, " + std::to_string(count) + " elements of ";
            const int rounds = little ? 1 : 5;
            for (const auto& [type, wrong] : {std::pair{"float32", ways<float>(ranks, count, rounds)},
                                              std::pair{"bfloat16", ways<bfloat16>(ranks, count, rounds)},
                                              std::pair{"int64", ways<std::int64_t>(ranks, count, rounds)}})
                check(name + type, wrong.empty(), wrong);
        }
}

/// Calls in a graph, launched again and again: the kernels themselves count.
void graphs() {
    constexpr unsigned ranks = 4;
    constexpr std::size_t count = 1003;
    device_group<float> group(ranks, blocks, count, 4096);
    const stream s;
    const auto graph = s.record([&](cudaStream_t on) {
        for (int i = 0; i < 5; ++i) {
            group.launch_packets(group.packets(), 1, on);
            group.launch_shots(group.two_shots(), 2, on);
        }
    });
    bool right = true;
    for (unsigned round = 0; round < 20; ++round) {
        const test::allreduce_case<float, sum_operator> c(ranks, count, round);
        for (unsigned r = 0; r < ranks; ++r) group.in[r].set(c.in[r]);
        must(cudaGraphLaunch(graph, s.get()), "cudaGraphLaunch");
        s.finish();
        for (unsigned r = 0; r < ranks; ++r) right = right && test::same_bits(group.out[r].get(), c.expected);
    }
    must(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    check("a graph of ten calls, 20 times", right && !group.failed());
}

/// Three of four ranks call. Their kernels end, they name the fourth, and the device goes on.
void absence() {
    device_group<float> group(4, blocks, 1000, 4096, std::chrono::milliseconds(200));
    const stream s;
    const auto what = group.one_shot();
    must(kernels::launch_shots(std::span<const kernels::peer_group>(group.groups).first(3), 1,
                               std::span<const device_group<float>::reduction>(what).first(3), s.get()),
         "launch_shots");
    s.finish();
    bool named = true;
    for (unsigned r = 0; r < 3; ++r)
        named = named && group.failure_of(r).why == kernels::group_failure::timeout && group.failure_of(r).peer == 3;
    check("a rank that never launches is named by all others", named);
    check("afterwards the device works", ways<float>(2, 1003, 1).empty());
}

/// Rank 2 is in another call.
void mismatch() {
    device_group<float> group(4, blocks, 1000, 4096);
    const stream s;
    const auto what = group.packets();
    using call = kernels::packet_call<device_group<float>::reduction>;
    std::vector<call> calls;
    for (unsigned r = 0; r < 4; ++r) calls.push_back({group.groups[r], group.boxes, what[r], r == 2 ? 5U : 4U});
    must(kernels::launch_together(std::span<const call>(calls), s.get()), "launch_together");
    s.finish();
    bool told = true;
    for (unsigned r = 0; r < 4; ++r) told = told && group.failure_of(r).why == kernels::group_failure::mismatch;
    check("ranks in different calls all hear of it", told);
}

} // namespace

int main(int arguments, char**) {
    return run([&] {
        const bool little = arguments > 1;
        right_sums(little);
        if (little) return;
        graphs();
        absence();
        mismatch();
    });
}

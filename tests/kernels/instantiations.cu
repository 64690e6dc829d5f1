// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What tests/kernels/ptx_lint.py compiles and tests/kernels/ptx.cpp runs: each element type with each operator in its
// widest access, the updates of weights, and the sum of squares; and, not run, all that `launch` makes of them.
#include "instantiated.hpp"
#include "kernels/allreduce/allreduce_packets.cuh"
#include "kernels/allreduce/allreduce_shots.cuh"
#include "kernels/allreduce/placed_allreduce.hpp"
#include "kernels/engine/device_engine.cuh"
#include "kernels/reduce_many.cuh"
#include "kernels/square_sum.cuh"

using namespace tutti;
using namespace tutti::kernels;

#define TUTTI_KERNEL(name, ...)                                                                                        \
    extern "C" __global__ void name(__VA_ARGS__ what, access_width how) {                                              \
        reduce_many<lanes_of<__VA_ARGS__>, most_sources>(what, how, device_execution{});                               \
    }
#define TUTTI_REDUCE_KERNEL(type, op) TUTTI_KERNEL(type##_##op, test::reduction_to_same<type, op##_operator>)

TUTTI_REDUCE_KERNELS(TUTTI_REDUCE_KERNEL)
TUTTI_KERNEL(update_sgd, test::sgd_step)
TUTTI_KERNEL(update_momentum, test::momentum_step)
TUTTI_KERNEL(update_adam, test::adam_update)
TUTTI_KERNEL(functor, test::functor_reduction)
TUTTI_KERNEL(narrowed, test::narrowed_sum)
TUTTI_KERNEL(widened, test::widened_sum)

extern "C" __global__ void signature_of_shot(test::shot_of_16_bits call, std::uint32_t* to) { *to = call.signature; }
extern "C" __global__ void signature_of_packets(test::packets_to_adam call, std::uint32_t* to) { *to = call.signature; }
extern "C" __global__ void scratch_of_engine(test::engine_of_16_bits call, void** to) {
    *to = call.memory[most_peers - 1][device_memories - 1];
}

extern "C" __global__ void squares_bfloat16(const bfloat16* from, std::size_t count, double* partial) {
    __shared__ double lanes[tile_lanes];
    sum_tiles(from, count, partial, lanes, squared{}, device_execution{});
}
extern "C" __global__ void sums_double(const double* from, std::size_t count, double* partial) {
    __shared__ double lanes[tile_lanes];
    sum_tiles(from, count, partial, lanes, as_is{}, device_execution{});
}

void launched_in_groups() {
    using sum_of_16_bits = reduction<bfloat16, sum_operator, scaled<float, stored<bfloat16>>>;
    static_cast<void>(launch_shot(peer_group{}, 0, sum_of_16_bits{}, nullptr));
    static_cast<void>(launch_shots(std::span<const peer_group>{}, 0, std::span<const sum_of_16_bits>{}, nullptr));
    using placed = placed_allreduce<most_peers, bfloat16, sum_operator, scaled<float, stored<bfloat16>>>;
    static_cast<void>(launch_in_group(placed{}, nullptr));
    static_cast<void>(launch_packets(peer_group{}, packet_boxes{}, 0, sum_of_16_bits{}, nullptr));
    static_cast<void>(
        launch_packets(std::span<const peer_group>{}, packet_boxes{}, 0, std::span<const sum_of_16_bits>{}, nullptr));
}
void launched_as_schedules() {
    plan_on_device plan;
    static_cast<void>(plan.load(device_plan{}));
    test::engine_of_16_bits call;
    plan.set(call);
    static_cast<void>(launch_in_group(call, nullptr));
    static_cast<void>(launch_together(std::span<const test::engine_of_16_bits>(&call, 1), nullptr));
}
void launched() {
    static_cast<void>(launch(test::sgd_step{}, nullptr));
    static_cast<void>(launch(test::adam_update{}, nullptr));
    static_cast<void>(launch_square_sum(static_cast<const bfloat16*>(nullptr), 1, nullptr, nullptr));
    clip_factor_kernel<<<1, 1>>>(nullptr, 1.0F, static_cast<float*>(nullptr));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce/device_execution.cuh"
#include "../reduce/launch.cuh"
#include "fused_allreduce.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace tutti::kernels {

/// The kernel that launch_fused() starts.
template <unsigned most, class Call>
__global__ void fused_allreduce_kernel(const __grid_constant__ Call call) {
    call.template run<most>(device_execution{});
}

/// The kernel for so many ranks.
template <class Call>
[[nodiscard]] auto kernel_of(unsigned ranks) {
    return ranks <= 2 ? fused_allreduce_kernel<2, Call> : fused_allreduce_kernel<most_peers, Call>;
}

/// Starts the allreduce on `stream`. Errors: what the runtime says. Cost: one launch. Of two ranks a thread takes one
/// access, as in reduce_many.cuh. With more of them the blocks stay, since each begins by reading all requests. On an
/// H100 that is 6 % faster for eight of 64 MiB, and 6 % slower for two.
template <class T, class Op, class Last>
[[nodiscard]] cudaError_t launch_fused(const fused_allreduce<T, Op, Last>& call, cudaStream_t stream) {
    constexpr unsigned threads = 256, blocks_at_once = 8;
    constexpr std::size_t most_blocks = 0x7fff'ffff; // of a launch
    constexpr std::size_t a_block = std::size_t{threads} * most_lanes(sizeof(T), sizeof(T));
    int device = 0, multiprocessors = 0;
    if (const auto failed = cudaGetDevice(&device); failed != cudaSuccess) return failed;
    if (const auto failed = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
        failed != cudaSuccess)
        return failed;
    const std::size_t staying = static_cast<std::size_t>(multiprocessors) * blocks_at_once;
    const auto blocks =
        static_cast<unsigned>(std::min(call.count / a_block + 1, call.ranks > 2 ? staying : most_blocks));
    return start_kernel(kernel_of<fused_allreduce<T, Op, Last>>(call.ranks), {blocks, threads}, stream, call);
}

} // namespace tutti::kernels

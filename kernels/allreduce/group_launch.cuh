// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce/device_execution.cuh"
#include "meeting.hpp"

#include <cuda_runtime_api.h>
#include <span>
#include <string>

/// How the kernels of a group start. A `Call` is one rank's part: it has a `group`, and `(failed, here)` is its body.
namespace tutti::kernels {

inline constexpr unsigned group_threads = 512; ///< of a block

/// The kernel that launch_in_group() starts.
template <class Call>
__global__ void __launch_bounds__(group_threads) group_kernel(const __grid_constant__ Call call) {
    __shared__ std::uint64_t failed;
    call(&failed, device_execution{});
}

/// The calls of several ranks, as the parameter of one kernel.
template <class Call>
struct calls_together {
    Call of[most_peers]; ///< the ranks' calls, by rank
};
/// The kernel that launch_together() starts.
template <class Call>
__global__ void __launch_bounds__(group_threads)
    group_kernel_together(const __grid_constant__ calls_together<Call> calls, unsigned blocks) {
    __shared__ std::uint64_t failed;
    const rank_execution here(blocks);
    calls.of[here.rank()](&failed, here);
}

/// Errors: invalid_argument, where there is not one piece of work for each rank.
inline void check_ranks(const char* what, std::size_t groups, std::size_t work) {
    if (groups == 0 || groups != work)
        reject(what, "there are " + std::to_string(groups) + " groups and work for " + std::to_string(work) + " ranks",
               "pass one of each for a rank");
}

/// Starts one rank's call; the others' run on other devices. It is a cooperative launch, so that all blocks are
/// resident. Errors: cudaErrorCooperativeLaunchTooLarge, where they cannot be; invalid_argument, as of check_group.
template <class Call>
[[nodiscard]] cudaError_t launch_in_group(Call call, cudaStream_t stream) {
    check_group(call.group);
    void* parameters[] = {&call};
    return cudaLaunchCooperativeKernel(group_kernel<Call>, dim3(call.group.blocks), dim3(group_threads), parameters, 0,
                                       stream);
}

/// Starts the calls of all ranks of a group, by rank, which share this device: one cooperative launch, so that all
/// blocks are resident. Errors: cudaErrorCooperativeLaunchTooLarge, where they cannot be; invalid_argument, as of
/// check_group, or where there are no calls, too many, or such with different numbers of blocks.
template <class Call>
[[nodiscard]] cudaError_t launch_together(std::span<const Call> calls, cudaStream_t stream) {
    if (calls.empty() || calls.size() > most_peers)
        reject("launch_together", "there are " + std::to_string(calls.size()) + " calls",
               "pass 1 to " + std::to_string(most_peers));
    calls_together<Call> all;
    unsigned blocks = calls[0].group.blocks;
    for (std::size_t r = 0; r < calls.size(); ++r) {
        check_group(calls[r].group);
        if (calls[r].group.blocks != blocks)
            reject("launch_together", "the calls differ in blocks", "give all ranks the same");
        all.of[r] = calls[r];
    }
    void* parameters[] = {&all, &blocks};
    const auto grid = static_cast<unsigned>(calls.size()) * blocks;
    return cudaLaunchCooperativeKernel(group_kernel_together<Call>, dim3(grid), dim3(group_threads), parameters, 0,
                                       stream);
}

} // namespace tutti::kernels

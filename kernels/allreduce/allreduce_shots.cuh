// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "allreduce_shots.hpp"
#include "group_launch.cuh"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <span>
#include <vector>

namespace tutti::kernels {

/// The launch alone: the body is in allreduce_shots.hpp, the __global__ function in group_launch.cuh. Starts this
/// rank's part of an allreduce in one shot, or in two, on `stream`: see allreduce_shot for `what` and the
/// preconditions. Errors: as of access_of_shot; else what the runtime says. What goes wrong between the ranks is told
/// in group.report.
template <class T, class Op, class Epilogue>
[[nodiscard]] cudaError_t launch_shot(const peer_group& group, std::uint32_t signature,
                                      const reduction<T, Op, Epilogue>& what, cudaStream_t stream) {
    using kind = reduction<T, Op, Epilogue>;
    const access_width how = access_of_shot(group, what);
    cudaError_t failed = cudaSuccess;
    with_constants<lanes_of<kind>>(how, what.sources, [&]<unsigned lanes, unsigned most>() {
        failed = launch_in_group(shot<lanes, most, kind>{group, what, how, signature}, stream);
    });
    return failed;
}

/// The same for all ranks of a group, by rank, which share this device.
template <class T, class Op, class Epilogue>
[[nodiscard]] cudaError_t launch_shots(std::span<const peer_group> groups, std::uint32_t signature,
                                       std::span<const reduction<T, Op, Epilogue>> what, cudaStream_t stream) {
    using kind = reduction<T, Op, Epilogue>;
    check_ranks("launch_shots", groups.size(), what.size());
    std::vector<access_width> how;
    for (std::size_t r = 0; r < groups.size(); ++r) how.push_back(access_of_shot(groups[r], what[r]));
    // Who could take more lanes at a time is aligned for fewer, too.
    const access_width least = std::ranges::min(how, {}, &access_width::lanes);
    cudaError_t failed = cudaSuccess;
    with_constants<lanes_of<kind>>(least, what[0].sources, [&]<unsigned lanes, unsigned most>() {
        std::vector<shot<lanes, most, kind>> calls;
        for (std::size_t r = 0; r < groups.size(); ++r)
            calls.push_back({groups[r], what[r], {lanes, how[r].head}, signature});
        failed = launch_together(std::span<const shot<lanes, most, kind>>(calls), stream);
    });
    return failed;
}

} // namespace tutti::kernels

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "allreduce_packets.hpp"
#include "group_launch.cuh"

#include <cuda_runtime_api.h>
#include <span>
#include <vector>

namespace tutti::kernels {

/// Starts this rank's part of an allreduce by packets on `stream`: see allreduce_packets for `what` and the
/// preconditions. Errors: as of check_packets; else what the runtime says. What goes wrong between the ranks is told in
/// group.report.
template <class T, class Op, class Epilogue>
[[nodiscard]] cudaError_t launch_packets(const peer_group& group, const packet_boxes& boxes, std::uint32_t signature,
                                         const reduction<T, Op, Epilogue>& what, cudaStream_t stream) {
    check_packets(group, boxes, what);
    return launch_in_group(packet_call<reduction<T, Op, Epilogue>>{group, boxes, what, signature}, stream);
}

/// The same for all ranks of a group, by rank, which share this device.
template <class T, class Op, class Epilogue>
[[nodiscard]] cudaError_t launch_packets(std::span<const peer_group> groups, const packet_boxes& boxes,
                                         std::uint32_t signature, std::span<const reduction<T, Op, Epilogue>> what,
                                         cudaStream_t stream) {
    using call = packet_call<reduction<T, Op, Epilogue>>;
    check_ranks("launch_packets", groups.size(), what.size());
    std::vector<call> calls;
    for (std::size_t r = 0; r < groups.size(); ++r) {
        check_packets(groups[r], boxes, what[r]);
        calls.push_back({groups[r], boxes, what[r], signature});
    }
    return launch_together(std::span<const call>(calls), stream);
}

} // namespace tutti::kernels

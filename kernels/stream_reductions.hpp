// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "device_reductions.hpp"
#include "stream/fused_call.hpp"

#include <cstdint>

namespace tutti::kernels {

/// The kernels of stream_communicator on a GPU, for programs that nvcc does not compile: link
/// kernels/stream_*.cu and kernels/device_reductions.cu, compiled by nvcc. They have the types and operators
/// of device_reductions. Errors: std::runtime_error with what the runtime says, and invalid_argument where an array is
/// not aligned to its elements.
struct stream_reductions : device_reductions {
    /// There are kernels of tutti::type_id and tutti::operator_id.
    static bool has(std::uint64_t type, std::uint64_t op);
    /// Starts the call on the stream of the current device. Precondition: has(call.type, call.op). Cost: one launch.
    static void fused(const fused_call& call, CUstream_st* stream);
    /// The same of a group.
    static void together(const group_call& call, CUstream_st* stream);
    /// The same of a rank whose data are where the call says.
    static void placed(const placed_call& call, CUstream_st* stream);
    /// The same of a schedule.
    static void scheduled(const scheduled_call& call, CUstream_st* stream);
    /// Loads the kernels of fused calls of so many ranks for the current device, which else the first launch of each
    /// does.
    static void load(unsigned ranks);
    /// Of each rank of a group, so that all are resident on the current device.
    static unsigned blocks(unsigned ranks);
};

} // namespace tutti::kernels

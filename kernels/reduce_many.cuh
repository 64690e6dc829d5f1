// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "reduce/device_execution.cuh"
#include "reduce/launch.cuh"
#include "reduce_many.hpp"

#include <cuda_runtime_api.h>

namespace tutti::kernels {

/// The kernel that launch() starts.
template <unsigned lanes, unsigned most, class Reduction>
__global__ void reduce_many_kernel(Reduction what, access_width how) {
    reduce_many<lanes, most>(what, how, device_execution{});
}

/// Starts the reduction on `stream` of the current device; it reads and writes memory that this device reaches.
/// Errors: invalid_argument as of access_of; else what the runtime says. Cost: one launch, each source read once and
/// each destination written once.
template <class T, class Op, class Epilogue>
[[nodiscard]] cudaError_t launch(const reduction<T, Op, Epilogue>& what, cudaStream_t stream) {
    const access_width how = access_of(what);
    if (what.count == 0) return cudaSuccess;
    const geometry shape = geometry_of(what, how);
    cudaError_t failed = cudaSuccess;
    with_constants<lanes_of<reduction<T, Op, Epilogue>>>(how, what.sources, [&]<unsigned lanes, unsigned most>() {
        failed = start_kernel(reduce_many_kernel<lanes, most, reduction<T, Op, Epilogue>>, shape, stream, what, how);
    });
    return failed;
}

} // namespace tutti::kernels

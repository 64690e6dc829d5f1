// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

namespace tutti::kernels {

/// A thread of a one-dimensional launch.
struct device_execution {
    [[nodiscard]] __device__ unsigned thread() const noexcept { return threadIdx.x; }
    [[nodiscard]] __device__ unsigned threads() const noexcept { return blockDim.x; }
    [[nodiscard]] __device__ unsigned block() const noexcept { return blockIdx.x; }
    [[nodiscard]] __device__ unsigned blocks() const noexcept { return gridDim.x; }
    __device__ void sync() const noexcept { __syncthreads(); }
};

static_assert(execution<device_execution>);

} // namespace tutti::kernels

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "reduce/device_execution.cuh"
#include "square_sum.hpp"

#include <algorithm>
#include <cuda_runtime_api.h>

namespace tutti::kernels {

/// The kernel of one pass, of which launch_square_sum() starts two.
template <class Add, class T>
__global__ void sum_tiles_kernel(const T* from, std::size_t count, double* partial) {
    __shared__ double lanes[tile_lanes];
    sum_tiles(from, count, partial, lanes, Add{}, device_execution{});
}

/// The doubles of scratch that `launch_square_sum` needs for so many elements.
[[nodiscard]] constexpr std::size_t square_sum_scratch(std::size_t count) noexcept {
    std::size_t all = 0;
    do all += count = tiles_of(count);
    while (count > 1);
    return all;
}

/// Starts the sum of squares of `count` elements, one or more, on `stream`. Returns where in `scratch` it will lie: in
/// memory of the device, `square_sum_scratch(count)` doubles. The caller asks cudaGetLastError, as after any launch.
template <class T>
[[nodiscard]] const double* launch_square_sum(const T* from, std::size_t count, double* scratch, cudaStream_t stream) {
    constexpr std::size_t most_blocks = 4096;
    std::size_t tiles = tiles_of(count);
    sum_tiles_kernel<squared><<<std::min(tiles, most_blocks), tile_lanes, 0, stream>>>(from, count, scratch);
    while (tiles > 1) {
        const double* const level = scratch;
        scratch += tiles;
        count = tiles;
        tiles = tiles_of(count);
        sum_tiles_kernel<as_is><<<std::min(tiles, most_blocks), tile_lanes, 0, stream>>>(level, count, scratch);
    }
    return scratch;
}

/// One thread turns the sum over all ranks into the factor that `scaled_by` reads.
template <class Factor = float>
__global__ void clip_factor_kernel(const double* squares, float most, Factor* factor) {
    *factor = clip_factor(*squares, most);
}

} // namespace tutti::kernels

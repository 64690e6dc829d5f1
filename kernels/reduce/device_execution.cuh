// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

#include <cstdint>

namespace tutti::kernels {

/// A thread of a one-dimensional launch.
struct device_execution {
    [[nodiscard]] __device__ unsigned thread() const noexcept { return threadIdx.x; }
    [[nodiscard]] __device__ unsigned threads() const noexcept { return blockDim.x; }
    [[nodiscard]] __device__ unsigned block() const noexcept { return blockIdx.x; }
    [[nodiscard]] __device__ unsigned blocks() const noexcept { return gridDim.x; }
    __device__ void sync() const noexcept { __syncthreads(); }

    // At system scope: the other kernel may run on another device. __syncthreads before a release hands over what the
    // other threads of the block have written, since causality is transitive (PTX ISA, memory consistency model).
    [[nodiscard]] __device__ std::uint64_t load_acquire(const std::uint64_t* at) const noexcept {
        std::uint64_t value;
        asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
        return value;
    }
    [[nodiscard]] __device__ std::uint64_t load_relaxed(const std::uint64_t* at) const noexcept {
        std::uint64_t value;
        asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
        return value;
    }
    __device__ void store_release(std::uint64_t* to, std::uint64_t value) const noexcept {
        asm volatile("st.release.sys.u64 [%0], %1;" : : "l"(to), "l"(value) : "memory");
    }
    __device__ void store_relaxed(std::uint64_t* to, std::uint64_t value) const noexcept {
        asm volatile("st.relaxed.sys.u64 [%0], %1;" : : "l"(to), "l"(value) : "memory");
    }
    [[nodiscard]] __device__ std::uint64_t nanoseconds() const noexcept {
        std::uint64_t now;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
        return now;
    }
    __device__ void rest() const noexcept {}
};

/// A thread of one rank's blocks, in a launch that has the blocks of several ranks, one rank's after the other's.
struct rank_execution : device_execution {
    unsigned blocks_a_rank;
    __device__ explicit rank_execution(unsigned blocks) noexcept : blocks_a_rank(blocks) {}
    [[nodiscard]] __device__ unsigned rank() const noexcept { return blockIdx.x / blocks_a_rank; }
    [[nodiscard]] __device__ unsigned block() const noexcept { return blockIdx.x % blocks_a_rank; }
    [[nodiscard]] __device__ unsigned blocks() const noexcept { return blocks_a_rank; }
};

static_assert(peer_execution<device_execution> && peer_execution<rank_execution>);

} // namespace tutti::kernels

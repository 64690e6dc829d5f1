// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What talks to real GPUs, compiled with CUDA's headers and linked with its runtime, where no GPU is to be seen.
#include <transport/cuda_ipc.hpp>

#include <collectives/engine/stream_executor.hpp>

#include "support/catch.hpp"

using namespace tutti;

static_assert(transport::transport<transport::cuda_ipc>);

namespace {

struct no_kernels {
    static bool reduce(std::uint64_t, std::uint64_t, std::span<const std::byte* const>, std::byte*, std::size_t,
                       transport::cuda_runtime::stream&) {
        return false;
    }
    static bool finish(std::uint64_t, std::uint64_t, std::byte*, std::size_t, int, transport::cuda_runtime::stream&) {
        return false;
    }
};

} // namespace

TEST_CASE("a rank without a GPU says so at its start") {
    using fabric = transport::cuda_ipc_fabric<transport::cuda_runtime>::fabric;
    CHECK_THROWS_WITH(fabric({}), Catch::Contains("bootstrap failed: this rank has no GPU: cudaGetDeviceCount: ") &&
                                      Catch::Contains("nvidia-smi"));
}

TEST_CASE("an executor without a GPU says so as well") {
    using executor = engine::stream_executor<transport::cuda_runtime, no_kernels>;
    CHECK_THROWS_AS(executor(transport::cuda_runtime(-1), executor::allocator{}), transport::device_error);
}

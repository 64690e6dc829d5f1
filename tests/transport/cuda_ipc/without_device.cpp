// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What talks to real GPUs, compiled with CUDA's headers and linked with its runtime, where no GPU is to be seen.
#include <tutti/transport/cuda_ipc.hpp>
#include <tutti/transport/cuda_routed.hpp>
#include <tutti/transport/cuda_tcp.hpp>

#include <tutti/collectives/collectives.hpp>
#include <tutti/collectives/engine/stream_executor.hpp>
#include <tutti/transport/cuda_stream_runtime.hpp>

#include "support/catch.hpp"

using namespace tutti;

static_assert(transport::transport<transport::cuda_ipc>);
static_assert(transport::transport<transport::cuda_tcp>);
static_assert(transport::transport<transport::cuda_routed>);

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

TEST_CASE("a program for several hosts fails where it asks for its GPU") {
    using transport::cuda_runtime, transport::cuda_routed;
    const auto enter = [](const cuda_runtime& device) {
        // What docs/gpu.md shows.
        const tutti::communicator world{
            cuda_routed::from_environment({.device = device.number()}, {.device = device.number()})};
        world.register_memory(std::span(static_cast<float*>(nullptr), 0));
    };
    CHECK_THROWS_AS(enter(cuda_runtime{0}), transport::device_error);
}

TEST_CASE("so does one that would stage its memory for TCP, whose settings are looked at first") {
    using staged = transport::staged_fabric<transport::tcp_fabric, transport::cuda_runtime>;
    CHECK_THROWS_WITH(staged::fabric({}), Catch::Contains("this rank has no GPU") && Catch::Contains("transport::tcp"));
    CHECK_THROWS_WITH(staged::fabric::checked({.inner = {.lanes = 0}}), Catch::Contains("lanes must be"));
}

TEST_CASE("calls on a stream need a GPU, and say so") {
    CHECK_THROWS_WITH(transport::cuda_stream_runtime{0},
                      Catch::Contains("cudaGetDeviceCount: ") && Catch::Contains("nvidia-smi tells which GPUs"));
}

TEST_CASE("an executor without a GPU says so as well") {
    using executor = engine::stream_executor<transport::cuda_runtime, no_kernels>;
    CHECK_THROWS_AS(executor(transport::cuda_runtime(-1), executor::allocator{}), transport::device_error);
}

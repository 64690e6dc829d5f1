// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What talks to real GPUs, compiled with CUDA's headers and linked with its runtime, where no GPU is to be seen.
#include <transport/cuda_ipc.hpp>
#include <transport/cuda_routed.hpp>
#include <transport/cuda_tcp.hpp>

#include <collectives/collectives.hpp>
#include <collectives/engine/stream_executor.hpp>
#include <kernels/stream_communicator.hpp>
#include <transport/cuda_ipc/cuda_stream_runtime.hpp>

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

/// Has the functions of kernels::stream_reductions, which only nvcc compiles.
struct stream_reductions : no_kernels {
    static bool has(std::uint64_t, std::uint64_t) { return false; }
    static void fused(const kernels::fused_call&, cudaStream_t) {}
    static void together(const kernels::group_call&, cudaStream_t) {}
    static void placed(const kernels::placed_call&, cudaStream_t) {}
    static void scheduled(const kernels::scheduled_call&, cudaStream_t) {}
    static unsigned blocks(unsigned) { return 1; }
    static void load(unsigned) {}
};

/// What docs/gpu.md shows.
void call_on(cudaStream_t stream) {
    using transport::cuda_ipc, transport::cuda_stream_runtime;
    const cuda_stream_runtime device{0};
    const tutti::communicator world{cuda_ipc::from_environment({.device = device.number()})};
    tutti::stream_communicator gpu{device, world, stream_reductions{}};
    const auto gradients = gpu.allocate<float>(1'000'000); // zeros, which every rank's kernels reach
    gpu.allreduce(gradients, tutti::average, stream);      // pointers of cudaMalloc do as well, in a std::span
    gpu.synchronize(stream);                               // waits, and throws if a call has failed
}

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
    };
    CHECK_THROWS_AS(enter(cuda_runtime{0}), transport::device_error);
}

TEST_CASE("so does one that would stage its memory for TCP, whose settings are looked at first") {
    using staged = transport::staged_fabric<transport::tcp_fabric, transport::cuda_runtime>;
    CHECK_THROWS_WITH(staged::fabric({}), Catch::Contains("this rank has no GPU") && Catch::Contains("transport::tcp"));
    CHECK_THROWS_WITH(staged::fabric::checked({.inner = {.lanes = 0}}), Catch::Contains("lanes must be"));
}

TEST_CASE("calls on a stream need a GPU, and say so") { CHECK_THROWS_AS(call_on(nullptr), transport::device_error); }

TEST_CASE("an executor without a GPU says so as well") {
    using executor = engine::stream_executor<transport::cuda_runtime, no_kernels>;
    CHECK_THROWS_AS(executor(transport::cuda_runtime(-1), executor::allocator{}), transport::device_error);
}

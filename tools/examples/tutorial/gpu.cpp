// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/collectives/engine/stream_executor.hpp>
#include <tutti/kernels/device_reductions.hpp>
#include <tutti/transport/cuda_ipc.hpp>

using tutti::transport::cuda_ipc, tutti::transport::cuda_runtime;

int main() {
    const cuda_runtime device{0}; // which GPU is this rank's
    const tutti::communicator world{cuda_ipc::from_environment({.device = device.number()})};
    tutti::engine::stream_executor<cuda_runtime, tutti::kernels::device_reductions> stream{device, world};
    const auto gpu = world.with_executor(stream);
    const auto gradients = gpu.allocate<float>(1'000'000); // zeros in device memory, from which peers copy
    gpu.allreduce(gradients, tutti::average);              // pointers of cudaMalloc do as well, in a std::span
}

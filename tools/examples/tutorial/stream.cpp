// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/kernels/stream_communicator.hpp>
#include <tutti/kernels/stream_reductions.hpp>
#include <tutti/transport/cuda_stream_runtime.hpp>
#include <tutti/transport/shared_memory.hpp>

using tutti::transport::cuda_stream_runtime, tutti::transport::shared_memory;

int main() {
    const cuda_stream_runtime device{0}; // which GPU is this rank's
    const tutti::communicator world{shared_memory::from_environment()};
    tutti::stream_communicator gpu{device, world, tutti::kernels::stream_reductions{}};
    const auto gradients = gpu.allocate<float>(1'000'000); // zeros, which every rank's kernels reach
    const cudaStream_t stream = cudaStreamPerThread;       // or one of yours
    gpu.allreduce(gradients, tutti::average, stream);      // pointers of cudaMalloc do as well, in a std::span
    gpu.synchronize(stream);                               // waits, and throws if a call has failed
}

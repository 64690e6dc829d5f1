// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../run/launched.hpp"
#include "on_stream.hpp"

#include "kernels/stream_reductions.hpp"

#include <transport/cuda_ipc.hpp>
#include <transport/cuda_stream_runtime.hpp>

#include <string>

namespace tutti::tools {
namespace {

/// Ranks of a host take its GPUs in turn. Where there is none, the transport says so.
int device_of_this_rank() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1) {
        static_cast<void>(cudaGetLastError());
        return -1;
    }
    const auto place = launched_place();
    return place ? place->rank % devices : 0;
}

std::string name_of_device(int number) {
    cudaDeviceProp about{};
    return number >= 0 && cudaGetDeviceProperties(&about, number) == cudaSuccess ? about.name : "";
}

} // namespace

int bench_over_cuda(const bench_settings& settings, int room) {
    const int device = device_of_this_rank();
    if (settings.how == timing::stream)
        return bench_on_stream<transport::cuda_ipc, transport::cuda_stream_runtime, kernels::stream_reductions>(
            settings, room, device, name_of_device(device));
    return bench_on_device<transport::cuda_ipc, transport::cuda_runtime, kernels::device_reductions>(
        settings, room, device, name_of_device(device));
}

} // namespace tutti::tools

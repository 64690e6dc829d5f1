// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Ranks that are processes on this GPU: collectives over CUDA IPC, and staged through host memory. Linked with
// kernels/device_reductions.cu.
#include "device_collectives.hpp"

#include "kernels/device_reductions.hpp"

#include <transport/fabrics/cuda_ipc/cuda_runtime.hpp>

int main(int argc, char** argv) {
    return tutti::gpu_check::check_device_collectives<tutti::transport::cuda_runtime,
                                                      tutti::kernels::device_reductions>(argc, argv);
}

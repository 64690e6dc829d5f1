// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Stream-ordered calls of processes and of threads on this GPU. Linked with kernels/stream_*.cu and
// kernels/device_reductions.cu.
#include "stream_program.hpp"

#include "kernels/stream_reductions.hpp"

#include <transport/cuda_stream_runtime.hpp>

int main(int argc, char** argv) {
    return tutti::gpu_check::check_stream_collectives<tutti::transport::cuda_stream_runtime,
                                                      tutti::kernels::stream_reductions>(argc, argv);
}

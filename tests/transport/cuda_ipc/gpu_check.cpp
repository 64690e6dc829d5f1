// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What tools/gpu-check runs in its section `processes`, without a GPU.
#include "device_world.hpp"
#include "tools/gpu_check/device_collectives.hpp"

int main(int argc, char** argv) {
    return tutti::gpu_check::check_device_collectives<tutti::test::fake_cuda, tutti::test::fake_kernels>(argc, argv);
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// `tutti bench --transport cuda_ipc` over the tests' CUDA, where the host cannot touch what is a device's.
#include "transport/cuda_ipc/device_world.hpp"

#include <tools/tutti/bench/on_device.hpp>
#include <tools/tutti/command.hpp>
#include <tools/tutti/run/launched.hpp>

#include <collectives/engine/membership.ipp>
#include <transport/cuda_ipc/fabric.hpp>
#include <transport/world.ipp>

int tutti::tools::bench_over_cuda(const bench_settings& settings, int room) {
    const auto place = launched_place();
    return bench_on_device<test::fake_ipc, test::fake_cuda, test::fake_kernels>(
        settings, room, place ? place->rank % test::fake_cuda::devices : 0, "the tests' CUDA");
}

int main(int argc, char** argv) { return tutti::tools::main(argc, argv); }

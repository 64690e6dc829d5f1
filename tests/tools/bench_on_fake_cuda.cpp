// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// `tutti bench --transport cuda_ipc` over the tests' CUDA, where the host cannot touch what is a device's.
#include "transport/cuda_ipc/device_world.hpp"

#include "support/fake_stream_kernels.hpp"

#include <tools/tutti/bench/on_stream.hpp>
#include <tools/tutti/command.hpp>
#include <tools/tutti/run/launched.hpp>

#include <transport/fabrics/cuda_ipc/fabric.hpp>

namespace {

struct all_kernels : tutti::test::fake_stream_kernels, tutti::test::fake_kernels {
    using tutti::test::fake_kernels::finish;
    using tutti::test::fake_kernels::reduce;
};

} // namespace

int tutti::tools::bench_over_cuda(const bench_settings& settings, int room) {
    const auto place = launched_place();
    if (settings.how == timing::stream) // on one device: a kernel of rank 0
        return bench_on_stream<test::fake_ipc, test::fake_cuda_streams, all_kernels>(settings, room, 0,
                                                                                     "the tests' CUDA");
    return bench_on_device<test::fake_ipc, test::fake_cuda, test::fake_kernels>(
        settings, room, place ? place->rank % test::fake_cuda::devices : 0, "the tests' CUDA");
}

int main(int argc, char** argv) { return tutti::tools::main(argc, argv); }

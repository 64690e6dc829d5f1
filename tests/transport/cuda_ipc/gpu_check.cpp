// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What tools/gpu-check runs in its sections `processes` and `streams`, without a GPU.
#include "device_world.hpp"
#include "support/fake_stream_kernels.hpp"
#include "tools/gpu_check/device_collectives.hpp"
#include "tools/gpu_check/stream_program.hpp"

#include <string_view>

namespace {

/// All kernels that the tests have.
struct all_kernels : tutti::test::fake_stream_kernels, tutti::test::fake_kernels {
    using tutti::test::fake_kernels::finish;
    using tutti::test::fake_kernels::reduce;
};

} // namespace

int main(int argc, char** argv) {
    using tutti::test::fake_cuda_streams;
    const bool streams = argc > 2 && std::string_view(argv[2]) == "streams";
    return streams ? tutti::gpu_check::check_stream_collectives<fake_cuda_streams, all_kernels>(argc, argv)
                   : tutti::gpu_check::check_device_collectives<fake_cuda_streams, all_kernels>(argc, argv);
}

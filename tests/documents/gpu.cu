// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What docs/gpu.md shows of a kernel.
#include <tutti/kernels/optimizer.hpp>
#include <tutti/kernels/reduce_many.cuh>

using namespace tutti::kernels;

cudaError_t step_of_sgd(const tutti::bfloat16* mine, const tutti::bfloat16* theirs, float* weights,
                        tutti::bfloat16* copy, std::size_t count, float rate, float decay, cudaStream_t stream) {
    // The mean of two gradients of 16 bits moves float weights, and leaves a copy of these in 16 bits.
    using update = scaled<float, sgd<stored<tutti::bfloat16>>>;
    const update last{0.5F, {weights, rate, decay, {{copy}, 1}}};
    const reduction<tutti::bfloat16, tutti::sum_operator, update> step{{mine, theirs}, 2, count, last};
    cudaError_t failed = launch(step, stream);
    return failed;
}

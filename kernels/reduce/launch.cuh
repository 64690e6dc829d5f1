// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "execution.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <type_traits>

namespace tutti::kernels {

/// Starts a kernel. The error is this launch's, unlike cudaGetLastError(), which may tell what an earlier call has
/// left.
template <class... Parameter>
[[nodiscard]] cudaError_t start_kernel(void (*kernel)(Parameter...), geometry shape, cudaStream_t stream,
                                       std::type_identity_t<Parameter>... parameter) {
    void* parameters[] = {&parameter...};
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(shape.blocks), dim3(shape.threads), parameters,
                            0, stream);
}

/// Throws std::runtime_error where a launch has failed.
inline void require_launched(cudaError_t status) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError()); // it is told here; later calls shall not tell it again
    throw std::runtime_error(std::string("a kernel cannot be launched: ") + cudaGetErrorString(status));
}

/// Loads a kernel for the current device, which else its first launch does. Errors: what the runtime says.
template <class... Parameter>
[[nodiscard]] cudaError_t load_kernel(void (*kernel)(Parameter...)) {
    cudaFuncAttributes about{};
    return cudaFuncGetAttributes(&about, reinterpret_cast<const void*>(kernel));
}

} // namespace tutti::kernels

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

/// On each operation of elements: what a GPU may run as well as the host.
#if defined(__CUDACC__)
#define TUTTI_HOST_DEVICE __host__ __device__
#else
#define TUTTI_HOST_DEVICE
#endif

/// Before a loop of known length, whose variables a GPU is to keep in registers.
#if defined(__CUDA_ARCH__)
#define TUTTI_UNROLL _Pragma("unroll")
#else
#define TUTTI_UNROLL
#endif

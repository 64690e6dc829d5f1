// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/device_runtime.hpp"
#include "../../world/world.hpp"

namespace tutti::transport {

/// Settings of a cuda_ipc transport. Ranks may differ in them.
struct cuda_ipc_limits {
    int device = -1; ///< its number; -1: the current one of the thread that makes the transport
};

namespace detail::cuda {
template <device_runtime R>
class fabric;
template <device_runtime R>
class channel;
} // namespace detail::cuda

/// Describes the fabric of `cuda_ipc`; see fabric.hpp.
template <device_runtime R>
struct cuda_ipc_fabric {
    /// Its part of the description, as the table of the concept `fabric` has it.
    /// @{
    using fabric = detail::cuda::fabric<R>;
    using channel = detail::cuda::channel<R>;
    using limits = cuda_ipc_limits;
    static constexpr const char* name = "CUDA IPC";
    static constexpr medium between = medium::memory;
    static constexpr bool views = false, allocates = true, needs_sockets = false, reaches_devices = true,
                          registers = true;
    /// @}
};

} // namespace tutti::transport

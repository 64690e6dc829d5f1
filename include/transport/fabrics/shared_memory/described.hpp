// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/medium.hpp"
#include "options.hpp"

namespace tutti::transport {

namespace detail::shm {
class fabric;
class channel;
} // namespace detail::shm

/// Describes the fabric of `shared_memory`; see fabric.hpp.
struct shared_memory_fabric {
    /// Its part of the description, as the table of the concept `fabric` has it.
    /// @{
    using fabric = detail::shm::fabric;
    using channel = detail::shm::channel;
    using limits = shared_memory_limits;
    static constexpr const char* name = "shared memory";
    static constexpr medium between = medium::memory;
    static constexpr bool views = true, allocates = true, needs_sockets = false;
    /// @}
};

} // namespace tutti::transport

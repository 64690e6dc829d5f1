// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tutti::transport {

/// What a shared_memory transport may be told. Each rank may have its own.
struct shared_memory_limits {
    /// Messages of at least this length are read by the receiver straight from the sender's memory, in one copy by the
    /// kernel, where it allows that. Shorter ones, and all where it does not, are copied twice, through the slots.
    std::size_t lend_bytes = 64 * 1024;
    /// The same for messages in symmetric memory, which the receiver reads, or reduces, where they lie.
    std::size_t lend_symmetric_bytes = 8 * 1024;
};

} // namespace tutti::transport

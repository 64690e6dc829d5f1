// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

namespace tutti::transport {

/// Settings of a shared_memory transport. Ranks may differ in them.
struct shared_memory_limits {
    /// No message is as long.
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    /// Messages of at least this length are read by the receiver straight from the sender's memory, in one copy by the
    /// kernel (process_vm_readv), where it allows that. Others, and all where it does not, are copied twice, through
    /// slots; but see `chooses`.
    std::size_t lend_bytes = never;
    /// The same for messages in symmetric memory, which the receiver reads, or reduces, where they lie; and from an
    /// eighth of it on where it may write the result there, too.
    std::size_t lend_symmetric_bytes = 8 * 1024;
    /// Messages longer than 64 KiB of send, and longer than 512 KiB of calls that do not reduce, go the way that was
    /// faster of late.
    bool chooses = true;
};

} // namespace tutti::transport

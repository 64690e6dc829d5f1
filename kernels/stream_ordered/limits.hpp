// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tutti::kernels {

/// Settings of stream-ordered calls, equal on all ranks.
struct stream_limits {
    /// Device memory of each process that shares a device with others. Data outside of allocate() are copied there and
    /// back, so many bytes at a time.
    std::size_t staging_bytes = std::size_t{32} << 20;
    /// Threads of one process reduce vectors of up to so many bytes by packets.
    std::size_t packet_bytes = 8 << 10;
    /// They reduce longer ones of up to so many bytes in one shot, unless a rank's output is its input. The rest goes
    /// in two shots.
    std::size_t one_shot_bytes = 256 << 10;
};

} // namespace tutti::kernels

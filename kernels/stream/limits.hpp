// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tutti::kernels {

/// Settings of stream-ordered calls, equal on all ranks.
struct stream_limits {
    /// Device memory of each rank that is a process. Data outside of allocate() are copied there and back, so many
    /// bytes at a time.
    std::size_t staging_bytes = std::size_t{32} << 20;
    /// Where kernels of several ranks wait for each other, vectors of up to so many bytes go by packets.
    std::size_t packet_bytes = 8 << 10;
    /// Longer ones of up to so many bytes go in one shot, unless a rank's output is its input. The rest goes in two
    /// shots.
    std::size_t one_shot_bytes = 256 << 10;
};

} // namespace tutti::kernels

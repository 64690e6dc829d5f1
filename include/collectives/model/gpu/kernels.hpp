// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "traffic.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::model {

/// The kernels of kernels/ that allreduce without a schedule.
enum class gpu_kernel : std::uint8_t {
    packets,   ///< every rank stores its input in every other's box, four bytes in eight
    one_shot,  ///< every rank reads all inputs
    two_shots, ///< every rank reads its part of all inputs, and writes it to all outputs
};
/// All of them, from the least latency to the fewest bytes.
inline constexpr std::array gpu_kernels{gpu_kernel::packets, gpu_kernel::one_shot, gpu_kernel::two_shots};

/// The name of a kernel. Schedules have other names.
[[nodiscard]] constexpr std::string_view name_of(gpu_kernel k) noexcept {
    constexpr std::array<std::string_view, 3> names{"packets_kernel", "one_shot_kernel", "two_shots_kernel"};
    return names[static_cast<std::size_t>(k)];
}

/// The bytes that a rank sends to others, which is as many as it receives from them.
[[nodiscard]] constexpr double sent_bytes(gpu_kernel k, int ranks, double bytes) noexcept {
    const double others = ranks - 1;
    if (k == gpu_kernel::packets) return 2 * others * bytes;
    return k == gpu_kernel::one_shot ? others * bytes : 2 * others / ranks * bytes;
}

namespace detail {

/// What the ranks' kernels move, all together.
[[nodiscard]] inline gpu_traffic traffic_of(gpu_kernel k, const gpu_host& on, const gpu_placement& where,
                                            double bytes) {
    gpu_traffic all(on, where);
    const double part = k == gpu_kernel::two_shots ? bytes / where.ranks : bytes;
    for (int r = 0; r < where.ranks; ++r) {
        for (int peer = 0; peer < where.ranks; ++peer) {
            if (k != gpu_kernel::packets) {
                all.read(r, peer, part);
            } else if (peer != r) {
                all.write(r, peer, 2 * bytes);
                all.read(r, r, 2 * bytes);
            }
            if (k == gpu_kernel::two_shots) all.write(r, peer, part);
        }
        if (k == gpu_kernel::packets) all.read(r, r, bytes);
        if (k != gpu_kernel::two_shots) all.write(r, r, bytes);
    }
    return all;
}

} // namespace detail

/// An allreduce of so many bytes by a kernel, in seconds: the launch, what the ranks wait for each other, and what
/// moves. A first load takes two latencies. So does what two shots have stored before the last meeting, which waits
/// until it is there. A call by packets that cleans the boxes, the first of 2^31, is not meant.
[[nodiscard]] inline double kernel_s(gpu_kernel k, const gpu_host& on, const gpu_placement& where, double bytes) {
    const gpu_signals& s = signals_between(on, where, 0, where.ranks - 1);
    const double moving_s = detail::traffic_of(k, on, where, bytes).longest_s();
    if (k == gpu_kernel::packets) return on.launch_s + s.latency_s + moving_s;
    const double latencies = k == gpu_kernel::one_shot ? 2 : 4;
    return on.launch_s + 2 * (s.meeting_s + s.latency_s) + latencies * s.latency_s + moving_s;
}

} // namespace tutti::model

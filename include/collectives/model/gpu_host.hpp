// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::model {

/// What kernels of two ranks pay to hear of each other.
struct gpu_signals {
    double latency_s = 0; ///< until a word that one has stored is seen by the other; a load of its memory takes two
    double meeting_s = 0; ///< of a meeting of all ranks, on top of a latency
    double signal_s = 0;  ///< of the device engine, to post a message or to acknowledge it, on top of a latency
    friend bool operator==(const gpu_signals&, const gpu_signals&) = default;
};

/// What is between the GPUs of a host. Each has one link, by which it sends and receives at once. A switch joins the
/// links of some consecutive GPUs, and an uplink joins it to the other switches.
struct gpu_links {
    gpu_signals between;          ///< between ranks of two GPUs
    double s_per_byte = 0;        ///< of a link, in either direction
    int devices_per_switch = 0;   ///< 0: one switch joins all, and there are no uplinks
    double uplink_s_per_byte = 0; ///< of an uplink, in either direction
    friend bool operator==(const gpu_links&, const gpu_links&) = default;
};

/// The GPUs of one host: the parameters that price kernels of several ranks. Plain data.
struct gpu_host {
    int devices = 1;              ///< how many GPUs there are
    double launch_s = 0;          ///< a kernel's share of starting it, where the host is ahead
    double memory_s_per_byte = 0; ///< of a GPU's memory, to read or to write a byte
    gpu_signals within;           ///< between ranks that share a GPU
    gpu_links links;              ///< between GPUs; not looked at where there is one
    friend bool operator==(const gpu_host&, const gpu_host&) = default;
};

/// Where ranks are: rank r on GPU r, or all on one. Precondition of what takes one: there is a rank, and the host has
/// these GPUs.
struct gpu_placement {
    int ranks = 1;       ///< how many
    bool on_one = false; ///< they share one GPU

    /// The GPU of a rank.
    [[nodiscard]] constexpr int device_of(int rank) const noexcept { return on_one ? 0 : rank; }
    /// How many GPUs they use.
    [[nodiscard]] constexpr int devices() const noexcept { return on_one ? 1 : ranks; }
};

/// What is between two ranks.
[[nodiscard]] constexpr const gpu_signals& signals_between(const gpu_host& on, const gpu_placement& where, int a,
                                                           int b) noexcept {
    return where.device_of(a) == where.device_of(b) ? on.within : on.links.between;
}

} // namespace tutti::model

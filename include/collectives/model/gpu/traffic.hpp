// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../gpu_host.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::model {

/// For how long some accesses keep each memory, link and uplink busy. What is busy longest is what they take at least,
/// and all that they take where everything else overlaps.
class gpu_traffic {
public:
    /// Nothing yet, by ranks that lie so.
    gpu_traffic(const gpu_host& on, const gpu_placement& where) noexcept
        : on_(on), where_(where), width_(on.links.devices_per_switch > 0 ? on.links.devices_per_switch : where.ranks),
          busy_s_(static_cast<std::size_t>(3 * where.devices() + 2 * (switch_of(where.devices() - 1) + 1))) {}

    /// A rank loads so many bytes of a rank's memory.
    void read(int by, int from, double bytes) noexcept { move(from, by, from, bytes); }
    /// A rank stores so many bytes in a rank's memory.
    void write(int by, int to, double bytes) noexcept { move(by, to, to, bytes); }

    /// By what is busy: for each GPU its memory, link out and link in, then for each switch its uplink out and in.
    [[nodiscard]] std::span<const double> busy_s() const noexcept { return busy_s_; }
    /// Of what is busy longest.
    [[nodiscard]] double longest_s() const noexcept { return *std::max_element(busy_s_.begin(), busy_s_.end()); }

private:
    [[nodiscard]] int switch_of(int device) const noexcept { return device / width_; }
    [[nodiscard]] double& of_device(int device, int what) noexcept {
        return busy_s_[static_cast<std::size_t>(3 * device + what)];
    }
    [[nodiscard]] double& of_uplink(int device, int what) noexcept {
        return busy_s_[static_cast<std::size_t>(3 * where_.devices() + 2 * switch_of(device) + what)];
    }
    void move(int from_rank, int to_rank, int memory_of, double bytes) noexcept {
        const int from = where_.device_of(from_rank), to = where_.device_of(to_rank);
        of_device(where_.device_of(memory_of), 0) += bytes * on_.memory_s_per_byte;
        if (from == to) return;
        of_device(from, 1) += bytes * on_.links.s_per_byte;
        of_device(to, 2) += bytes * on_.links.s_per_byte;
        if (switch_of(from) == switch_of(to)) return;
        of_uplink(from, 0) += bytes * on_.links.uplink_s_per_byte;
        of_uplink(to, 1) += bytes * on_.links.uplink_s_per_byte;
    }

    gpu_host on_;
    gpu_placement where_;
    int width_; ///< GPUs of a switch
    std::vector<double> busy_s_;
};

} // namespace tutti::model

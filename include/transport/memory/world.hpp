// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/error.hpp>

#include "control_plane.hpp"
#include "switchboard.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tutti::transport {

class memory;

/// What the ranks of one process share: size, channels, control plane. Lives as long as any of its ranks.
class memory_world {
public:
    /// A world of `size` ranks, 0 to size-1. Throws `error` (invalid_argument) when that is less than one.
    [[nodiscard]] static std::shared_ptr<memory_world> create(int size) {
        if (size < 1) reject("memory_world::create", "a world of " + std::to_string(size) + " ranks");
        return std::shared_ptr<memory_world>(new memory_world(size));
    }

    [[nodiscard]] int size() const noexcept { return static_cast<int>(standings_.size()); }

    /// From any thread: rank `rank` is from now on dead to the others, as if its process had been killed. Its own calls
    /// move nothing any more; its memory stays readable until it closes or is destroyed. For tests of faults.
    void kill(int rank) {
        auto expected = standing::present;
        // Release, with the acquire of those who find it dead: what it sent before is seen before.
        if (!standing_of(rank).compare_exchange_strong(expected, standing::killed, std::memory_order_acq_rel)) return;
        control_.lose(rank, "it was killed");
        control_.ring_all();
    }

private:
    friend class memory;

    enum class standing : std::uint8_t { absent, present, killed, left };

    explicit memory_world(int size)
        : control_(size), switchboard_(size), standings_(static_cast<std::size_t>(size)),
          crowded_(static_cast<unsigned>(size) > std::thread::hardware_concurrency()) {}

    [[nodiscard]] std::atomic<standing>& standing_of(int rank) noexcept {
        return standings_[static_cast<std::size_t>(rank)];
    }

    /// Rank `rank` takes its place, once.
    void join(int rank) {
        if (rank < 0 || rank >= size())
            reject("memory", "rank " + std::to_string(rank) + " in a world of " + std::to_string(size()));
        auto expected = standing::absent;
        if (!standing_of(rank).compare_exchange_strong(expected, standing::present, std::memory_order_acq_rel))
            reject("memory", "rank " + std::to_string(rank) + " has been taken");
    }

    /// Rank `rank`, all of whose channels are closed, goes.
    void leave(int rank) {
        switchboard_.leave(rank);
        auto expected = standing::present;
        // Release, as in kill().
        if (!standing_of(rank).compare_exchange_strong(expected, standing::left, std::memory_order_acq_rel)) return;
        notice n;
        n.kind = notice_kind::left;
        control_.tell(rank, n);
    }

    detail::control_plane control_;
    detail::switchboard switchboard_;
    std::vector<std::atomic<standing>> standings_;
    bool crowded_;
};

} // namespace tutti::transport

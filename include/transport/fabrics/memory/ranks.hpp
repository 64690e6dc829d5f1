// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"

#include "../../contract/processor_matching.hpp"
#include "../../join/own_allotment.hpp"
#include "control_plane.hpp"
#include "lane_table.hpp"
#include "world.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::detail {

/// The world of ranks that are threads, as its ranks see it.
class memory_ranks final : public memory_world {
public:
    enum class standing : std::uint8_t { absent, present, killed, left };

    explicit memory_ranks(int size)
        : control(size), lines(size),
          processors(bootstrap::share_out(std::vector(static_cast<std::size_t>(size), bootstrap::own_allotment()))),
          standings_(static_cast<std::size_t>(size)) {}

    [[nodiscard]] int size() const noexcept { return static_cast<int>(standings_.size()); }

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
        lines.leave(rank);
        auto expected = standing::present;
        // Release, as in kill().
        if (!standing_of(rank).compare_exchange_strong(expected, standing::left, std::memory_order_acq_rel)) return;
        notice n;
        n.kind = notice_kind::left;
        control.tell(rank, n);
    }

    void kill(int rank) {
        auto expected = standing::present;
        // Release. A rank that acquires `killed` also sees all messages sent before it.
        if (!standing_of(rank).compare_exchange_strong(expected, standing::killed, std::memory_order_acq_rel)) return;
        control.lose(rank, "it was killed");
        control.ring_all();
    }

    control_plane control;
    lane_table lines;
    /// A processor for each rank, of those that the thread which made this world may run on. None: it is crowded.
    const std::optional<std::vector<int>> processors;

private:
    std::vector<std::atomic<standing>> standings_;
};

} // namespace tutti::transport::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// Something happens to a step of a rank.
struct event {
    double at_s = 0; ///< not negative
    std::uint32_t rank = 0;
    std::uint32_t what = 0;
};

/// Events by time. Nothing may be added before the time of the latest batch, which is what makes it quick: an event
/// lies in the bucket of the highest bit in which its time differs from that one, and moves to lower buckets only.
/// Source: the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan, Faster algorithms for the shortest path problem, JACM
/// 1990. Doubles that are not negative are ordered as their bits are.
class event_queue {
public:
    void push(const event& e) { buckets_[bucket_of(e)].push_back(e); }

    /// All events of the earliest time, in the order in which they came; false: there are none. What is pushed for that
    /// same time afterwards is a batch of its own.
    bool pop(std::vector<event>& batch) {
        batch.clear();
        if (buckets_[0].empty()) refill();
        std::swap(batch, buckets_[0]);
        return !batch.empty();
    }

private:
    [[nodiscard]] std::size_t bucket_of(const event& e) const noexcept {
        return 64U - static_cast<std::size_t>(std::countl_zero(std::bit_cast<std::uint64_t>(e.at_s) ^ last_));
    }
    void refill() {
        std::size_t k = 1;
        while (k < buckets_.size() && buckets_[k].empty()) ++k;
        if (k == buckets_.size()) return;
        std::vector<event>& lowest = buckets_[k];
        double earliest = lowest.front().at_s;
        for (const event& e : lowest) earliest = e.at_s < earliest ? e.at_s : earliest;
        last_ = std::bit_cast<std::uint64_t>(earliest);
        for (const event& e : lowest) buckets_[bucket_of(e)].push_back(e);
        lowest.clear();
    }

    std::array<std::vector<event>, 65> buckets_; ///< all in a bucket come before all in the next
    std::uint64_t last_ = 0;
};

} // namespace tutti::model::detail

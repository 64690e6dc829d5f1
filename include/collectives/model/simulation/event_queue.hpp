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

/// Times that were added up in another order may differ by rounding alone: of these none is later.
[[nodiscard]] inline bool is_later(double a, double b) noexcept { return a > b + b * 0x1p-36; }

/// Events by time. Nothing may be added before the time of the latest batch, which is what makes it quick: an event
/// lies in the bucket of the highest bit in which its time differs from that one, and moves to lower buckets only.
/// Source: the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan, Faster algorithms for the shortest path problem, JACM
/// 1990. Doubles that are not negative are ordered as their bits are.
class event_queue {
public:
    void push(const event& e) { buckets_[bucket_of(e)].push_back(e); }

    /// All events of the earliest time, and of none that is later; false: there are none. What is pushed for that same
    /// time afterwards is a batch of its own.
    bool pop(std::vector<event>& batch) {
        batch.clear();
        if (buckets_[0].empty()) refill();
        std::swap(batch, buckets_[0]);
        if (!batch.empty()) take_equal(batch);
        return !batch.empty();
    }

private:
    [[nodiscard]] std::size_t bucket_of(const event& e) const noexcept {
        return 64U - static_cast<std::size_t>(std::countl_zero(std::bit_cast<std::uint64_t>(e.at_s) ^ last_));
    }
    /// Takes those that are later by rounding alone: in the lowest buckets mostly, whose events hardly differ.
    void take_equal(std::vector<event>& batch) {
        const double earliest = std::bit_cast<double>(last_);
        for (std::size_t k = 1; k < buckets_.size(); ++k) {
            if ((last_ >> (k - 1) & 1) != 0) continue;                     // nothing lies there
            const std::uint64_t least = (last_ >> (k - 1) | 1) << (k - 1); // that may lie there
            if (is_later(std::bit_cast<double>(least), earliest)) return;
            std::erase_if(buckets_[k], [&](const event& e) {
                if (is_later(e.at_s, earliest)) return false;
                batch.push_back({earliest, e.rank, e.what});
                return true;
            });
        }
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

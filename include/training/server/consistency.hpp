// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tutti::training::server {

/// How far workers may be apart. A worker's clock is the number of its ticks. Source of the bound: Ho et al., More
/// Effective Distributed ML via a Stale Synchronous Parallel Parameter Server, NIPS 2013.
struct consistency {
    /// A get at clock c waits until no worker's clock is less than c - slack. So it sees all updates of the clocks
    /// before c - slack, and perhaps later ones.
    std::uint64_t slack = 0;
    /// Updates of a clock are summed in the order of the workers, and count when all workers have ended it. So all
    /// workers see the same bits in the same clock.
    bool is_bulk = false;

    /// A worker in `clock` may read while the slowest one is in `slowest`.
    [[nodiscard]] constexpr bool may_read(std::uint64_t clock, std::uint64_t slowest) const noexcept {
        return slowest >= clock || clock - slowest <= slack;
    }
    friend bool operator==(const consistency&, const consistency&) = default;
};

/// Nobody waits for anybody.
inline constexpr consistency asynchronous{std::numeric_limits<std::uint64_t>::max(), false};
/// The fastest worker is at most so many clocks ahead of what it reads.
[[nodiscard]] constexpr consistency bounded_staleness(std::uint64_t clocks) noexcept { return {clocks, false}; }
/// Steps of all workers together.
inline constexpr consistency bulk_synchronous{0, true};

/// How many gets read values so many clocks old: how far the slowest worker was behind the reader.
class staleness_histogram {
public:
    /// Counts one get.
    void add(std::uint64_t clocks) {
        const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(clocks, most));
        if (counts_.size() <= at) counts_.resize(at + 1);
        ++counts_[at];
    }
    /// Gets by staleness, from 0. The last place that there can be counts those of 1023 and more.
    [[nodiscard]] const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }

private:
    static constexpr std::uint64_t most = 1023;
    std::vector<std::uint64_t> counts_;
};

namespace detail {

/// The clocks of the workers, as one server knows them. One that is gone counts no more.
class worker_clocks {
public:
    explicit worker_clocks(std::size_t workers) : clocks_(workers) {}

    void tick(std::size_t worker) noexcept { fastest_ = std::max(fastest_, ++clocks_[worker]); }
    void leave(std::size_t worker) noexcept { clocks_[worker] = gone; }
    /// If all are gone, the last clock that any of them has entered.
    [[nodiscard]] std::uint64_t slowest() const noexcept {
        const std::uint64_t least = *std::min_element(clocks_.begin(), clocks_.end());
        return least == gone ? fastest_ : least;
    }
    /// All workers before this one have ended that clock.
    [[nodiscard]] bool ended_before(std::size_t worker, std::uint64_t clock) const noexcept {
        return std::all_of(clocks_.begin(), clocks_.begin() + static_cast<std::ptrdiff_t>(worker),
                           [=](std::uint64_t c) { return c > clock; });
    }

private:
    static constexpr std::uint64_t gone = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> clocks_;
    std::uint64_t fastest_ = 0;
};

} // namespace detail

} // namespace tutti::training::server

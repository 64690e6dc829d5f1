// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/meeting.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tutti::kernels::detail {

/// A time: how long a port takes for so much of the vector. Integers, so that sums are exact in any
/// order.
using ticks = std::uint64_t;
/// For the whole vector.
inline constexpr ticks ticks_a_vector = ticks{1} << 32;

[[nodiscard]] inline ticks ticks_of(std::size_t elements, std::size_t count) noexcept {
    if (count == 0) return 0;
    const double part = static_cast<double>(elements) / static_cast<double>(count);
    return static_cast<ticks>(part * static_cast<double>(ticks_a_vector));
}

/// The model of a GPU's links: each rank has a port by which it reads others' memory, and one by which others read its
/// own. A rank does one step at a time, which reads one message or several; those that read one rank share its port
/// equally. A step within a rank takes no time, since the memory of a GPU is much faster than its links.
class ports {
public:
    /// Rank `reader`, which reads nothing, begins to read `work` in equal parts from each of `from`, at least one.
    void begin(std::size_t reader, ticks work, const std::vector<std::uint8_t>& from) {
        left_[reader] = work;
        from_[reader] = from;
        for (const std::uint8_t peer : from) load_[peer] += whole / from.size();
    }
    [[nodiscard]] bool reads(std::size_t rank) const noexcept { return !from_[rank].empty(); }
    /// How much of what ranks read now comes from the most loaded of these.
    [[nodiscard]] std::uint64_t load(const std::vector<std::uint8_t>& peers) const noexcept {
        std::uint64_t most = 0;
        for (const std::uint8_t peer : peers) most = std::max(most, load_[peer]);
        return most;
    }

    /// Goes on until some rank has ended, and tells each that has as `ended(rank)`. Returns how long that takes; 0 if
    /// none reads.
    ticks advance(auto&& ended) {
        ticks next = std::numeric_limits<ticks>::max();
        for (std::size_t r = 0; r < most_peers; ++r)
            if (reads(r)) next = std::min(next, (left_[r] * share(r) + whole - 1) / whole);
        if (next == std::numeric_limits<ticks>::max()) return 0;
        std::vector<std::size_t> over; // which share their ports until all have gone on
        for (std::size_t r = 0; r < most_peers; ++r) {
            if (!reads(r)) continue;
            left_[r] -= std::min(left_[r], next * whole / share(r));
            if (left_[r] == 0) over.push_back(r);
        }
        for (const std::size_t r : over) {
            for (const std::uint8_t peer : from_[r]) load_[peer] -= whole / from_[r].size();
            from_[r].clear();
        }
        for (const std::size_t r : over) ended(r);
        return next;
    }

private:
    static constexpr std::uint64_t whole = 840; ///< one port's rate: a multiple of 1 to 8

    /// By how much the port that holds up a rank is divided, in parts of `whole`.
    [[nodiscard]] std::uint64_t share(std::size_t reader) const noexcept {
        return std::max(whole, load(from_[reader]));
    }

    std::array<ticks, most_peers> left_{};                   ///< by reader
    std::array<std::vector<std::uint8_t>, most_peers> from_; ///< by reader
    std::array<std::uint64_t, most_peers> load_{};           ///< by the rank that is read
};

} // namespace tutti::kernels::detail

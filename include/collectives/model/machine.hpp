// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "parameters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace tutti::model {

/// LogGP of the messages up to a size. Transports carry and store messages differently by length.
/// What a byte costs is that of the range in which the byte lies, so that no message is cheaper than a shorter one
/// for its bytes; L, o and g are those of the range in which the message ends.
struct price_range {
    std::array<char, 16> name{}; ///< the kind of message, such as "in one slot"; zeros behind it
    std::size_t most_bytes = std::numeric_limits<std::size_t>::max(); ///< the longest message of this range
    loggp cost;                                                       ///< what its messages cost
    friend bool operator==(const price_range&, const price_range&) = default;
};

inline constexpr int most_ranges = 4; ///< of a link

/// The link between two ranks, by message size.
struct link {
    std::array<price_range, most_ranges> ranges{}; ///< by size, the last for all that is larger
    int count = 1;                                 ///< how many of them there are

    constexpr link() = default;
    /// A link that charges messages of all lengths alike.
    constexpr link(const loggp& cost) noexcept { ranges[0].cost = cost; } // NOLINT: a link of one range

    /// The price of a message of so many bytes.
    [[nodiscard]] constexpr const loggp& at(std::size_t bytes) const noexcept {
        int k = 0;
        while (k + 1 < count && ranges[static_cast<std::size_t>(k)].most_bytes < bytes) ++k;
        return ranges[static_cast<std::size_t>(k)].cost;
    }

    /// The cost of `bytes` bytes by one of the prices by byte: link.sum(bytes, &loggp::gap_s_per_byte).
    [[nodiscard]] constexpr double sum(double bytes, double loggp::*price) const noexcept {
        double seconds = 0, below = 0;
        for (int k = 0; k < count && below < bytes; ++k) {
            const price_range& s = ranges[static_cast<std::size_t>(k)];
            const double to = k + 1 < count ? std::min(bytes, static_cast<double>(s.most_bytes)) : bytes;
            seconds += (to - below) * (s.cost.*price);
            below = to;
        }
        return seconds;
    }
    friend bool operator==(const link&, const link&) = default;
};

/// What many senders to one rank at once cost beyond their bytes: with w of them, each byte takes
/// max(w - threshold, 0) epsilon longer. Measured, never assumed; none by default.
/// Source: GenModel, arXiv 2409.04202.
struct fan_in_penalty {
    int threshold = 0;             ///< so many senders at once cost nothing extra
    double epsilon_s_per_byte = 0; ///< what each sender beyond the threshold adds to a byte, in seconds
    friend bool operator==(const fan_in_penalty&, const fan_in_penalty&) = default;
};

/// The parameters that price a schedule. Plain data: the ranks of a communicator take those of rank 0.
struct machine {
    link near;                    ///< between ranks of a node
    link far;                     ///< between nodes
    fan_in_penalty fan_in;        ///< what many senders to one rank cost on top
    int cores = 0;                ///< of a node, shared by its ranks; 0: one for each rank
    double switch_s = 0;          ///< until a core works for another rank than before, or for its first
    double crowded_latency_s = 0; ///< on top of L where ranks share cores: a waiting rank does not poll all the time
    double call_s = 0;            ///< of each rank, for a call, besides its steps
    double cache_bytes = 0;       ///< of a node, shared by its ranks; 0: all data fits
    double miss_s_per_byte = 0;   ///< a processor's, for each byte that it works on, on top, where no data fits
    int nics = 0;                 ///< of a node, shared by its ranks; 0: one for each rank
    double oversubscription =
        1; ///< how many times as much all nodes together can send as the network between them carries
    receiver_rule receiver =
        receiver_rule::full_duplex; ///< how calls are priced; by Hockney's rule ranks share nothing
    friend bool operator==(const machine&, const machine&) = default;
};

/// A machine whose links all cost the same, each rank with a core and a port of its own.
[[nodiscard]] constexpr machine uniform(const loggp& cost) noexcept {
    return {cost, cost, {}, 0, 0, 0, 0, 0, 0, 0, 1, receiver_rule::full_duplex};
}

} // namespace tutti::model

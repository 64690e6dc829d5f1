// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

namespace tutti::schedule {

/// The cost of a schedule, counted exactly. `sent` and `received` are in chunks, the most over all ranks. A rank's
/// vector of n elements has chunks(size) of them, in an alltoall chunks(size) / size.
struct cost {
    int depth = 0;          ///< the longest chain of messages, each of which carries data of the one before
    int rounds = 0;         ///< unit-time steps when a rank sends one and receives one message at a time
    long long sent = 0;     ///< chunks sent by the busiest sender
    long long received = 0; ///< chunks received by the busiest receiver
    int fan_in = 0;         ///< the most ranks that send to one rank at the same depth
    bool bound = false;     ///< of a stated cost: the figures are upper bounds, where no closed form is exact
    friend constexpr bool operator==(const cost&, const cost&) = default;
};

} // namespace tutti::schedule

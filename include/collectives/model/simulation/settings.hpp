// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/activity.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::model {

/// What is charged for a message of m bytes. Messages are always eager: no sender waits for a receiver, and what comes
/// before its receive is ready waits for it. Under LogGP the rules differ in what a receiver is charged once the header
/// has arrived, o + L after its sender began.
enum class receiver_rule : std::uint8_t {
    /// As LogGOPSim: the processor is busy for o + (m - 1)max(G, O), so that what it receives delays what it sends; but
    /// g is charged at the sender alone. Source: Hoefler, Schneider and Lumsdaine, LogGOPSim, LSAP 2010.
    serial,
    /// As network adapters do: the port takes the message in for (m - 1)G, one message after the other, whatever the
    /// processor does; then the processor is busy for o + (m - 1)O.
    full_duplex,
    /// As in Hockney's model: a message takes L + 2o + m max(G, O), alpha + m beta, and so long the port by which it
    /// leaves and, once its receive is ready, the one by which it comes. Processors only reduce and copy; g is not
    /// charged, and nothing is shared.
    hockney,
};

/// How a schedule is simulated.
struct simulation_settings {
    receiver_rule receiver = receiver_rule::full_duplex; ///< how a receiver is charged
    bool activities = false;                             ///< record each step of every rank with its times
    /// Every step takes longer by chance, by this much of its time in the mean, exponentially distributed; 0: never.
    double straggling = 0;
    std::uint64_t seed = 1; ///< of that chance: the same seed, the same times
    /// The most messages that are simulated step by step: 2^25 of them take up to 2 GB.
    std::size_t most_messages = std::size_t{1} << 25;
    /// From so many messages on, one rank stands for all where the schedule rotates.
    std::size_t symmetric_beyond = std::size_t{1} << 22;
};

/// The result of a simulation.
struct simulated {
    double finish_s = 0;               ///< when the last rank is done
    std::vector<double> rank_finish_s; ///< by rank; by symmetry, that of all
    std::size_t messages = 0;          ///< of all ranks
    std::size_t steps = 0;             ///< of all ranks
    bool by_symmetry = false;          ///< one rank stood for all, and each chunk was as long as the mean
    std::vector<schedule::activity>
        activities{}; ///< where asked for, in order of their begin; by symmetry, of rank 0 alone
};

} // namespace tutti::model

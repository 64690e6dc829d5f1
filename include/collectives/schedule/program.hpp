// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operation.hpp"

#include <vector>

namespace tutti::schedule {

/// Whose a rank's steps are from `first` on, up to the next part: an allreduce may be composed of two halves, and the
/// library may have put a copy before them.
struct part {
    operation of = operation::allreduce; ///< the function of the algorithm that has emitted them
    bool library = false;                ///< no function of it, but the library itself
    int first = 0;                       ///< the number of its first step in the rank's list
};

/// A whole schedule: the steps of every rank, in program order.
struct program {
    operation what = operation::allreduce; ///< what it does
    int size = 1;                          ///< the number of ranks
    int root = 0;                          ///< where has_root(what)
    bool in_place = false;                 ///< input and output of each rank are the same memory
    int chunks = 1;                        ///< chunk ids are [0, chunks)
    std::vector<std::vector<step>> ranks;  ///< each rank's steps, by rank

    int segments = 1;                       ///< how many steps each step of the algorithm was cut into
    std::vector<std::vector<part>> parts{}; ///< by rank; empty where the steps are as they were written

    /// The position of a rank, for which its steps were written.
    [[nodiscard]] constexpr position at(int rank) const noexcept { return {rank, size, root, in_place}; }
};

} // namespace tutti::schedule

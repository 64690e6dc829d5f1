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
    int first = 0;
};

/// A whole schedule: the steps of every rank, in program order.
struct program {
    operation what = operation::allreduce;
    int size = 1;
    int root = 0;
    bool in_place = false;
    int chunks = 1; ///< chunk ids are [0, chunks)
    std::vector<std::vector<step>> ranks;

    int segments = 1;                       ///< how many steps each step of the algorithm was cut into
    std::vector<std::vector<part>> parts{}; ///< by rank; empty where the steps are as they were written

    [[nodiscard]] constexpr position at(int rank) const noexcept { return {rank, size, root, in_place}; }
};

} // namespace tutti::schedule

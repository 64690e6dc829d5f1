// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operation.hpp"

#include <vector>

namespace tutti::schedule {

/// A whole schedule: the steps of every rank, in program order.
struct program {
    operation what = operation::allreduce;
    int size = 1;
    int root = 0;
    bool in_place = false;
    int chunks = 1; ///< chunk ids are [0, chunks)
    std::vector<std::vector<step>> ranks;

    [[nodiscard]] constexpr position at(int rank) const noexcept { return {rank, size, root, in_place}; }
};

} // namespace tutti::schedule

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cost.hpp"

#include <optional>
#include <vector>

namespace tutti::tools::planner {

/// The best plan of one number of tensor ranks and of stages, over all else.
struct cell {
    int tensor = 1, pipeline = 1;
    std::optional<plan> best; ///< nothing where no layout has the memory, or none can be
    bool possible = false;    ///< some layout can be
};

/// What was searched.
struct searched {
    std::vector<cell> cells; ///< by tensor ranks, then stages
    std::vector<plan> plans; ///< the best ones of all cells that have one, the fastest first
    std::size_t layouts = 0; ///< that could be
    double least_bytes = 0;  ///< where none of them fits: what a GPU would need at least
};

/// All layouts of the cluster's GPUs. They differ in tensor ranks x stages x replicas, in sharding, and in what is
/// recomputed. Microbatches have samples in powers of two, and stages up to eight pieces. A layout whose computing
/// alone takes longer than the best one of its cell is not looked at further. Exact within its cost model, but for the
/// pieces of interleaved pipelines.
[[nodiscard]] searched search(const question& q);

/// Of the layouts that agree in tensor ranks, stages and replicas, those to choose from.
[[nodiscard]] std::vector<layout> layouts_of(int tensor, int pipeline, int data, const question& q);

} // namespace tutti::tools::planner

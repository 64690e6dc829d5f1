// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/any.hpp"

#include <cstddef>

namespace tutti::model {

/// What is priced: one call of a collective, as all of its ranks make it.
struct collective {
    schedule::operation what = schedule::operation::allreduce;
    algorithm::any how;
    int size = 1;
    std::size_t bytes = 0; ///< of the whole vector: a rank's input to an allreduce, its output of an allgather
    int root = 0;
    int segments = 1;
    bool in_place = false;
    std::size_t element_bytes = 1; ///< chunks are cut between elements
};

} // namespace tutti::model

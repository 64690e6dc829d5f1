// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../algorithm/any.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace tutti::model {

/// One call of a collective by all of its ranks, to be priced.
struct collective {
    schedule::operation what = schedule::operation::allreduce; ///< the operation
    algorithm::any how;                                        ///< the algorithm, which has a schedule for it
    int size = 1;                                              ///< the number of ranks
    std::size_t bytes = 0;         ///< of the whole vector: a rank's input to an allreduce, its output of an allgather
    int root = 0;                  ///< where the operation has one
    int segments = 1;              ///< into how many segments each chunk is cut
    bool in_place = false;         ///< input and output are the same memory, on all ranks
    std::size_t element_bytes = 1; ///< chunks are cut between elements
};

namespace detail {

/// More than any memory holds, and still a number that sums of a call's bytes seldom leave.
inline constexpr std::size_t most_bytes = std::size_t{1} << 60;

/// Throws tutti::error(invalid_argument), in the name of `who`, if this is no call: without ranks, segments or bytes in
/// an element, from a root that is none of the ranks, of more than 2^60 bytes, or of more ranks than the operation can
/// have, or of ranks that the algorithm is not for. Whether the algorithm has a schedule for the operation is not
/// looked at.
inline void examine(const collective& c, const char* who) {
    if (c.size < 1) reject(who, "there must be a rank");
    c.how.require_runs_on(c.what, c.size);
    if (c.root < 0 || c.root >= c.size) reject(who, "the root is none of the ranks");
    if (c.segments < 1) reject(who, "there must be a segment");
    if (c.element_bytes < 1) reject(who, "an element must have a byte");
    if (c.size > schedule::most_ranks(c.what))
        reject(who, std::string(name_of(c.what)) + " has chunk numbers for " +
                        std::to_string(schedule::most_ranks(c.what)) + " ranks at most");
    const int vectors = schedule::vectors_of(c.what, c.size);
    if (c.bytes > most_bytes / static_cast<std::size_t>(vectors))
        reject(who, std::to_string(c.bytes) + " bytes are more than 2^60" +
                        (vectors > 1 ? " / " + std::to_string(vectors) : ""));
    if (c.segments > std::numeric_limits<int>::max() / std::max(c.how.chunks(c.what, c.size), 1))
        reject(who, std::to_string(c.segments) + " segments make more chunks than have numbers");
}

} // namespace detail

} // namespace tutti::model

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "launcher.hpp"

#include <array>

/// tutti run, or whoever sets the library's own variables for every rank.
namespace tutti::transport::bootstrap::detail::explicitly {

inline constexpr std::array marks{"TUTTI_RANK"};
inline constexpr std::array variables{"TUTTI_SIZE", "TUTTI_ADDRESS"};

TUTTI_COLD inline bool present() { return all_set(marks); }

TUTTI_COLD inline identity read() {
    identity me;
    if (!is_set("TUTTI_RANK")) me.rank = whole_number("TUTTI_RANK", 0, 0); // names it
    me.size = whole_number("TUTTI_SIZE", 1, most_ranks);
    me.rank = whole_number("TUTTI_RANK", 0, me.size - 1);
    const auto where = variable("TUTTI_ADDRESS");
    if (where.empty() && me.size == 1) return me;
    if (where.empty()) bootstrap_failed("TUTTI_ADDRESS is not set", "set it to rank 0's host:port on every rank");
    me.rendezvous = parse_endpoint(where, "TUTTI_ADDRESS");
    return me;
}

inline constexpr launcher itself{
    "TUTTI_RANK, TUTTI_SIZE and TUTTI_ADDRESS", "TUTTI_SIZE", present, read, marks, variables};

} // namespace tutti::transport::bootstrap::detail::explicitly

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arguments.hpp"

#include "algorithm/all.hpp"
#include "error.hpp"

#include <utility>

namespace tutti::detail {

TUTTI_INLINE void check_not_null(std::string_view operation, bytes data) {
    if (data.data() == nullptr && !data.empty()) reject(std::string(operation), "the range is null but not empty");
}

TUTTI_INLINE void check_counts(std::string_view operation, std::size_t in, std::size_t wanted) {
    if (in != wanted)
        reject(std::string(operation),
               "the input has " + std::to_string(in) + " elements where " + std::to_string(wanted) + " fit the output");
}

TUTTI_INLINE void check_parts(std::string_view operation, std::size_t in, std::size_t out, std::size_t ranks) {
    const bool gathers = operation == "allgather";
    const std::size_t whole = gathers ? out : in, part = gathers ? in : out;
    if (whole / ranks == part && whole % ranks == 0) return;
    const std::string_view larger = gathers ? "output" : "input", smaller = gathers ? "input" : "output";
    std::string why = "the input has " + std::to_string(in) + " elements and the output " + std::to_string(out);
    why.append(": with ").append(std::to_string(ranks)).append(" ranks the ").append(larger);
    why.append(" must have ").append(std::to_string(ranks)).append(" times as many as the ").append(smaller);
    reject(std::string(operation), std::move(why));
}

TUTTI_INLINE void check_root(std::string_view operation, int root, int size) {
    if (root < 0 || root >= size)
        reject(std::string(operation),
               "there is no root " + std::to_string(root) + " among " + std::to_string(size) + " ranks");
}

TUTTI_INLINE bool is_part(std::string_view operation, bytes larger, bytes smaller, std::size_t offset) {
    if (smaller.empty() || larger.empty()) return false;
    const std::byte *a = larger.data(), *b = smaller.data();
    if (a + offset == b) return true;
    const std::less<> before{};
    if (before(a, b + smaller.size()) && before(b, a + larger.size()))
        reject(std::string(operation), "input and output overlap in part", "see the operation for what in place means");
    return false;
}

TUTTI_INLINE void check_offered(const algorithm::any& how, schedule::operation what) {
    if (how.offers(what)) return;
    std::string known;
    for (const auto name : algorithm::names(what)) known.append(known.empty() ? "" : ", ").append(name);
    reject(std::string(name_of(what)), std::string(how.name()) + " has no schedule for it", "choose one of " + known);
}

} // namespace tutti::detail

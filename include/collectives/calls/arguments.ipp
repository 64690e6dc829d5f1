// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "arguments.hpp"

#include "../../base/error.hpp"
#include "../algorithm/all.hpp"

#include <limits>
#include <utility>

namespace tutti::detail {

// Out of the way of calls that are right.
[[gnu::cold]] TUTTI_INLINE std::string flaw_of(const raw_range& r) {
    if (!r.data) return "the range is null but not empty";
    return "the range is misaligned: its elements must lie at multiples of " + std::to_string(r.alignment) + " bytes";
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_range(schedule::operation what, const raw_range& r) {
    reject(std::string(name_of(what)), flaw_of(r));
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_root(schedule::operation what, const schedule::position& self) {
    reject(std::string(name_of(what)),
           "there is no root " + std::to_string(self.root) + " among " + std::to_string(self.size) + " ranks");
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_ranks(schedule::operation what, int ranks) {
    reject(std::string(name_of(what)), std::to_string(ranks) + " ranks are more than the " +
                                           std::to_string(schedule::most_ranks(what)) + " that it can have");
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_counts(schedule::operation what, std::size_t in, std::size_t out,
                                                        std::size_t ranks) {
    if (!has_shards(what))
        reject(std::string(name_of(what)),
               "the input has " + std::to_string(in) + " elements where " + std::to_string(out) + " fit the output");
    if (what == schedule::operation::alltoall)
        reject(std::string(name_of(what)),
               "the input has " + std::to_string(in) + " elements and the output " + std::to_string(out) +
                   ": both must have as many, and a multiple of the " + std::to_string(ranks) + " ranks");
    const bool collects = gathers(what);
    const std::string_view larger = collects ? "output" : "input", smaller = collects ? "input" : "output";
    std::string why = "the input has " + std::to_string(in) + " elements and the output " + std::to_string(out);
    why.append(": with ").append(std::to_string(ranks)).append(" ranks the ").append(larger);
    why.append(" must have ").append(std::to_string(ranks)).append(" times as many as the ").append(smaller);
    reject(std::string(name_of(what)), std::move(why));
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_overlap(schedule::operation what) {
    reject(std::string(name_of(what)), "input and output overlap in part", "see the operation for what in place means");
}

/// Of an alltoall: both buffers have a block for each rank.
[[nodiscard]] TUTTI_INLINE placement placed_blocks(raw_range in, raw_range out, std::size_t element_bytes, int size) {
    constexpr auto what = schedule::operation::alltoall;
    if (size > schedule::most_ranks(what)) refuse_ranks(what, size);
    if (in.count != out.count || in.count % static_cast<std::size_t>(size) != 0)
        refuse_counts(what, in.count, out.count, static_cast<std::size_t>(size));
    const placement at{in.count, in.data, out.data, in.data == out.data};
    const std::size_t bytes = in.count * element_bytes;
    const std::less<> precedes{};
    if (!at.in_place && precedes(in.data, out.data + bytes) && precedes(out.data, in.data + bytes))
        refuse_overlap(what);
    return at;
}

/// Of a rank that has no input, or no output. A buffer beside the root's is one rank's part, or the whole vector.
[[nodiscard]] TUTTI_INLINE placement placed_alone(schedule::operation what, raw_range only, std::size_t parts,
                                                  bool is_input) {
    if (only.count > std::numeric_limits<std::size_t>::max() / parts)
        reject(std::string(name_of(what)),
               std::to_string(only.count) + " elements of each rank are more than memory can hold");
    return {only.count * parts, is_input ? only.data : nullptr, is_input ? nullptr : only.data, false};
}

TUTTI_INLINE placement placed(schedule::operation what, raw_range in, raw_range out, std::size_t element_bytes,
                              const schedule::position& self) {
    using schedule::operation;
    if (has_root(what) && (self.root < 0 || self.root >= self.size)) refuse_root(what, self);
    const bool is_root = self.rank == self.root;
    const bool has_output = (what != operation::reduce && what != operation::gather) || is_root;
    const bool has_input = what != operation::scatter || is_root;
    if (!has_output) out = {};
    if (!has_input) in = {};
    for (const raw_range& r : {in, out})
        if (!is_usable(r)) refuse_range(what, r);

    if (what == operation::alltoall) return placed_blocks(in, out, element_bytes, self.size);
    const std::size_t parts = has_shards(what) ? static_cast<std::size_t>(self.size) : 1;
    if (!has_output || !has_input) return placed_alone(what, has_input ? in : out, parts, has_input);
    const raw_range larger = gathers(what) ? out : in, smaller = gathers(what) ? in : out;
    const bool fit =
        parts == 1 ? larger.count == smaller.count : larger.count / parts == smaller.count && larger.count % parts == 0;
    if (!fit && what != operation::broadcast) refuse_counts(what, in.count, out.count, parts);

    placement at{larger.count, in.data, out.data, larger.data == smaller.data && parts == 1};
    if (at.in_place || smaller.count == 0) return at;
    const std::byte *const part = smaller.data, *const end = part + smaller.count * element_bytes;
    const std::size_t before = parts == 1 ? 0 : static_cast<std::size_t>(self.rank) * smaller.count * element_bytes;
    at.in_place = larger.data + before == part;
    const std::less<> precedes{};
    if (!at.in_place && precedes(larger.data, end) && precedes(part, larger.data + larger.count * element_bytes))
        refuse_overlap(what);
    return at;
}

TUTTI_INLINE void check_offered(const algorithm::any& how, schedule::operation what) {
    if (how.offers(what)) return;
    std::string known;
    for (const auto name : algorithm::names(what)) known.append(known.empty() ? "" : ", ").append(name);
    reject(std::string(name_of(what)), std::string(how.name()) + " has no schedule for it", "choose one of " + known);
}

TUTTI_INLINE model::selection selected(schedule::operation what, const algorithm::any* how, std::size_t volume,
                                       const model::chooser& by, bool any_order, bool symmetric) {
    if (!how) return by.choose(what, volume, any_order, symmetric);
    check_offered(*how, what);
    return {*how, model::segments_for(*how, volume)};
}

} // namespace tutti::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "uneven.hpp"

#include <base/error.hpp>

#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace tutti::detail {

[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_uneven(schedule::operation what, std::string why) {
    reject(std::string(name_of(what)) + "v", std::move(why));
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_negative_count(schedule::operation what) {
    refuse_uneven(what, "a count is negative");
}

/// Counts and buffers of one call, as they are checked.
class uneven_check {
public:
    uneven_check(schedule::operation what, const schedule::position& self, std::size_t element_bytes)
        : what_(what), self_(self), element_bytes_(element_bytes) {}

    /// There is a count for each rank, and they are the elements of `buffer`.
    void whole(const std::vector<std::size_t>& counts, raw_range buffer, const char* name) const {
        if (counts.size() != static_cast<std::size_t>(self_.size))
            refuse_uneven(what_, std::to_string(counts.size()) + " counts are given, for " +
                                     std::to_string(self_.size) + " ranks");
        std::size_t sum = 0;
        for (const std::size_t n : counts) {
            if (n > std::numeric_limits<std::size_t>::max() / element_bytes_ - sum)
                refuse_uneven(what_, "the counts are more elements than memory can hold");
            sum += n;
        }
        if (sum != buffer.count)
            refuse_uneven(what_, "the counts add up to " + std::to_string(sum) + " elements where the " + name +
                                     " has " + std::to_string(buffer.count));
    }
    void own(std::size_t count, raw_range part, const char* name) const {
        if (count != part.count)
            refuse_uneven(what_, "this rank's part has " + std::to_string(count) + " elements where the " + name +
                                     " has " + std::to_string(part.count));
    }
    /// Whether `part` is the one of `larger` that begins `before` elements behind its beginning. Refuses other
    /// overlaps.
    [[nodiscard]] bool is_part(raw_range larger, raw_range part, std::size_t before) const {
        if (part.count == 0) return false;
        if (larger.data + before * element_bytes_ == part.data) return true;
        apart(larger, part);
        return false;
    }
    void apart(raw_range a, raw_range b) const {
        if (a.count == 0 || b.count == 0) return;
        const std::less<> precedes{};
        if (precedes(a.data, b.data + b.count * element_bytes_) && precedes(b.data, a.data + a.count * element_bytes_))
            refuse_uneven(what_, "input and output overlap");
    }

private:
    schedule::operation what_;
    schedule::position self_;
    std::size_t element_bytes_;
};

TUTTI_INLINE uneven_placement placed_uneven(schedule::operation what, raw_range in, raw_range out,
                                            const part_counts& counts, std::size_t element_bytes,
                                            const schedule::position& self) {
    using schedule::operation, schedule::part_lengths;
    const bool is_root = !has_root(what) || self.rank == self.root;
    if (has_root(what) && (self.root < 0 || self.root >= self.size)) refuse_root(what, self);
    if (what == operation::gather && !is_root) out = {};
    if (what == operation::scatter && !is_root) in = {};
    if ((in.data == nullptr && in.count > 0) || (out.data == nullptr && out.count > 0)) refuse_null(what);
    const uneven_check check(what, self, element_bytes);
    const auto rank = static_cast<std::size_t>(self.rank);
    if (what == operation::alltoall) {
        if (self.size > schedule::most_ranks(what)) refuse_ranks(what, self.size);
        check.whole(counts.of_ranks, in, "input");
        check.whole(counts.received, out, "output");
        if (counts.of_ranks[rank] != counts.received[rank])
            refuse_uneven(what, "this rank sends itself " + std::to_string(counts.of_ranks[rank]) +
                                    " elements and receives " + std::to_string(counts.received[rank]));
        check.apart(in, out);
        return {{in.count, in.data, out.data, false},
                std::make_shared<const part_lengths>(self.rank, counts.of_ranks, counts.received)};
    }
    const bool collects = gathers(what);
    const raw_range whole = collects ? out : in, part = collects ? in : out;
    if (!is_root) { // it knows its own part
        return {{part.count, in.data, out.data, false},
                std::make_shared<const part_lengths>(self.rank, self.size, part.count)};
    }
    check.whole(counts.of_ranks, whole, collects ? "output" : "input");
    check.own(counts.of_ranks[rank], part, collects ? "input" : "output");
    auto lengths = std::make_shared<const part_lengths>(counts.of_ranks, all_know_lengths(what));
    const bool in_place = check.is_part(whole, part, lengths->before(rank));
    return {{whole.count, in.data, out.data, in_place}, std::move(lengths)};
}

} // namespace tutti::detail

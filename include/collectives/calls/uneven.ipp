// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "uneven.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::detail {

[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_uneven(schedule::operation what, std::string why) {
    reject(std::string(name_of(what)) + "v", std::move(why));
}
[[noreturn, gnu::cold]] TUTTI_INLINE void refuse_negative(schedule::operation what, const char* number) {
    refuse_uneven(what, std::string("a ") + number + " is negative");
}

/// Memory of one part, in the input or the output.
struct stretch {
    const std::byte *first, *last;
    int rank; ///< -1: of the buffer that has one part only
    bool written;
};

/// Counts, displacements and buffers of one call, as they are checked.
class uneven_check {
public:
    uneven_check(schedule::operation what, const schedule::position& self, std::size_t element_bytes)
        : what_(what), self_(self), element_bytes_(element_bytes) {}

    /// There is a part for each rank, and they lie in `buffer`, which they fill where there are no displacements.
    /// Returns their sum.
    std::size_t whole(const buffer_parts& parts, raw_range buffer, const char* name) const {
        one_each(parts.counts, "counts");
        std::size_t sum = 0;
        for (const std::size_t n : parts.counts) {
            if (n > most_elements() - sum) refuse_uneven(what_, "the counts are more elements than memory can hold");
            sum += n;
        }
        if (parts.displacements)
            within(parts, buffer, name);
        else if (sum != buffer.count)
            refuse_uneven(what_, "the counts add up to " + std::to_string(sum) + " elements where the " + name +
                                     " has " + std::to_string(buffer.count));
        return sum;
    }
    void own(std::size_t count, raw_range part, const char* name) const {
        if (count != part.count)
            refuse_uneven(what_, "this rank's part has " + std::to_string(count) + " elements where the " + name +
                                     " has " + std::to_string(part.count));
    }
    /// Whether `part` begins `before` elements behind the beginning of `larger`.
    [[nodiscard]] bool is_at(raw_range larger, raw_range part, std::size_t before) const {
        return part.count > 0 && larger.data + before * element_bytes_ == part.data;
    }
    void apart(raw_range a, raw_range b) const {
        if (a.count == 0 || b.count == 0) return;
        const std::less<> precedes{};
        if (precedes(a.data, b.data + b.count * element_bytes_) && precedes(b.data, a.data + a.count * element_bytes_))
            refuse_uneven(what_, "input and output overlap");
    }

    /// Adds the parts of a buffer, which may be displaced.
    void add(std::vector<stretch>& to, const buffer_parts& parts, raw_range buffer, bool written) const {
        std::size_t next = 0;
        for (std::size_t r = 0; r < parts.counts.size(); ++r) {
            const std::size_t n = parts.counts[r], at = parts.displacements ? (*parts.displacements)[r] : next;
            if (n > 0) to.push_back(stretch_of(buffer.data + at * element_bytes_, n, static_cast<int>(r), written));
            next += n;
        }
    }
    void add(std::vector<stretch>& to, raw_range part, bool written) const {
        if (part.count > 0) to.push_back(stretch_of(part.data, part.count, -1, written));
    }
    /// What is written overlaps nothing else.
    void apart(std::vector<stretch> all) const {
        const std::less<> precedes{};
        std::sort(all.begin(), all.end(),
                  [&](const stretch& a, const stretch& b) { return precedes(a.first, b.first); });
        const stretch *any = nullptr, *written = nullptr; // those before that end last
        const auto ends_later = [&](const stretch* a, const stretch& b) { return !a || precedes(a->last, b.last); };
        for (const stretch& s : all) {
            const stretch* const before = s.written ? any : written;
            if (before && precedes(s.first, before->last)) refuse_overlap_of(*before, s);
            if (ends_later(any, s)) any = &s;
            if (s.written && ends_later(written, s)) written = &s;
        }
    }

private:
    [[nodiscard]] std::size_t most_elements() const noexcept {
        return std::numeric_limits<std::size_t>::max() / element_bytes_;
    }
    [[nodiscard]] stretch stretch_of(const std::byte* first, std::size_t n, int rank, bool written) const noexcept {
        return {first, first + n * element_bytes_, rank, written};
    }
    void one_each(const std::vector<std::size_t>& numbers, const char* name) const {
        if (numbers.size() != static_cast<std::size_t>(self_.size))
            refuse_uneven(what_, std::to_string(numbers.size()) + " " + name + " are given, for " +
                                     std::to_string(self_.size) + " ranks");
    }
    void within(const buffer_parts& parts, raw_range buffer, const char* name) const {
        one_each(*parts.displacements, "displacements");
        const std::size_t end = std::min(buffer.count, most_elements());
        for (std::size_t r = 0; r < parts.counts.size(); ++r) {
            const std::size_t at = (*parts.displacements)[r], n = parts.counts[r];
            if (n > 0 && (at > end || n > end - at))
                refuse_uneven(what_, "the part of rank " + std::to_string(r) + " has " + std::to_string(n) +
                                         " elements from element " + std::to_string(at) + " on, where the " + name +
                                         " has " + std::to_string(buffer.count));
        }
    }
    [[noreturn, gnu::cold]] void refuse_overlap_of(const stretch& a, const stretch& b) const {
        if (!a.written || !b.written || a.rank < 0 || b.rank < 0) refuse_uneven(what_, "input and output overlap");
        refuse_uneven(what_, "the parts of ranks " + std::to_string(std::min(a.rank, b.rank)) + " and " +
                                 std::to_string(std::max(a.rank, b.rank)) + " overlap in the output");
    }

    schedule::operation what_;
    schedule::position self_;
    std::size_t element_bytes_;
};

/// The displacements of a buffer for the engine. Empty parts lie at the beginning, wherever they are said to.
[[nodiscard]] TUTTI_INLINE std::vector<std::size_t> places_of(const buffer_parts& parts) {
    if (!parts.displacements) return {};
    std::vector<std::size_t> at = *parts.displacements;
    for (std::size_t r = 0; r < at.size(); ++r)
        if (parts.counts[r] == 0) at[r] = 0;
    return at;
}

/// Of an alltoall: both buffers have a block for each rank.
[[nodiscard]] TUTTI_INLINE uneven_placement placed_uneven_blocks(const uneven_check& checks, raw_range in,
                                                                 raw_range out, const part_counts& counts, int rank) {
    constexpr auto what = schedule::operation::alltoall;
    const auto &sent = counts.of_ranks, &received = counts.received;
    const std::size_t count = checks.whole(sent, in, "input");
    checks.whole(received, out, "output");
    const std::size_t to_self = sent.counts[static_cast<std::size_t>(rank)];
    const std::size_t from_self = received.counts[static_cast<std::size_t>(rank)];
    if (to_self != from_self)
        refuse_uneven(what, "this rank sends itself " + std::to_string(to_self) + " elements and receives " +
                                std::to_string(from_self));
    if (sent.displacements || received.displacements) {
        std::vector<stretch> all;
        checks.add(all, sent, in, false);
        checks.add(all, received, out, true);
        checks.apart(std::move(all));
    } else {
        checks.apart(in, out);
    }
    auto lengths = std::make_shared<schedule::part_lengths>(rank, sent.counts, received.counts);
    lengths->displace(places_of(sent), places_of(received));
    return {{count, in.data, out.data, false}, std::move(lengths)};
}

TUTTI_INLINE uneven_placement placed_uneven(schedule::operation what, raw_range in, raw_range out,
                                            const part_counts& counts, std::size_t element_bytes,
                                            const schedule::position& self) {
    using schedule::operation, schedule::part_lengths;
    const bool is_root = !has_root(what) || self.rank == self.root;
    if (has_root(what) && (self.root < 0 || self.root >= self.size)) refuse_root(what, self);
    if (what == operation::gather && !is_root) out = {};
    if (what == operation::scatter && !is_root) in = {};
    for (const raw_range& r : {in, out})
        if (!is_usable(r)) refuse_range(what, r);
    const uneven_check checks(what, self, element_bytes);
    const auto rank = static_cast<std::size_t>(self.rank);
    if (what == operation::alltoall) {
        if (self.size > schedule::most_ranks(what)) refuse_ranks(what, self.size);
        return placed_uneven_blocks(checks, in, out, counts, self.rank);
    }
    const bool collects = gathers(what);
    const raw_range whole = collects ? out : in, part = collects ? in : out;
    if (!is_root) { // it knows its own part
        return {{part.count, in.data, out.data, false},
                std::make_shared<const part_lengths>(self.rank, self.size, part.count)};
    }
    const buffer_parts& parts = counts.of_ranks;
    const std::size_t count = checks.whole(parts, whole, collects ? "output" : "input");
    checks.own(parts.counts[rank], part, collects ? "input" : "output");
    auto lengths = std::make_shared<part_lengths>(parts.counts, all_know_lengths(what));
    const std::size_t before = parts.displacements ? (*parts.displacements)[rank] : lengths->before(rank);
    const bool in_place = checks.is_at(whole, part, before);
    if (parts.displacements) {
        std::vector<stretch> all;
        checks.add(all, parts, whole, collects);
        if (!in_place) checks.add(all, part, !collects);
        for (stretch& s : all) // a reduction changes its own part
            s.written = s.written || (in_place && what == operation::reduce_scatter && s.rank == self.rank);
        checks.apart(std::move(all));
        collects ? lengths->displace({}, places_of(parts)) : lengths->displace(places_of(parts), {});
    } else if (!in_place) {
        checks.apart(whole, part);
    }
    return {{count, in.data, out.data, in_place}, std::move(lengths)};
}

} // namespace tutti::detail

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "issue.hpp"

#include "../algorithm/direct.hpp"
#include "../algorithm/naive.hpp"
#include "../schedule/part_lengths.hpp"

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

/// What allgatherv, alltoallv, gatherv, reduce_scatterv and scatterv share. How to call them is in docs/use.md.
namespace tutti {

/// Counts and displacements, in place of counts alone: the part of rank r has counts[r] elements and begins
/// displacements[r] elements behind the beginning of its buffer. Parts may lie in any order, with gaps between them and
/// around them, which are never written. Parts of an output must not overlap; those of an input may.
///
/// `world.allgatherv(in, out, tutti::displaced{counts, displacements})`. Both are ranges of integers, one for each
/// rank. Displacements are this rank's own: ranks may differ in them. That of an empty part is not
/// looked at, but may not be negative.
///
/// Cost: a message that holds several parts is copied once on its way; of gatherv, scatterv and alltoallv none does.
///
/// @snippet reference.cpp displaced
template <class Counts, class Displacements>
struct displaced {
    Counts counts;               ///< the elements of each rank's part, by rank
    Displacements displacements; ///< where each part begins, in elements, by rank
};
/// `displaced{counts, displacements}` names no type.
template <class Counts, class Displacements>
displaced(Counts, Displacements) -> displaced<Counts, Displacements>;

namespace detail {

/// Numbers of elements, by rank: a range of integers.
template <class Range>
concept counts_range = std::ranges::input_range<Range> && std::integral<std::ranges::range_value_t<Range>>;

template <class>
inline constexpr bool is_displaced = false;
template <counts_range Counts, counts_range Displacements>
inline constexpr bool is_displaced<displaced<Counts, Displacements>> = true;

/// Where the parts of a buffer are: counts, or counts and displacements.
template <class T>
concept parts_like = counts_range<T> || is_displaced<T>;

/// The parts of a buffer that a user has given.
struct buffer_parts {
    std::vector<std::size_t> counts{};
    std::optional<std::vector<std::size_t>> displacements{}; ///< none: the parts lie one after the other
};
/// Those of a call.
struct part_counts {
    buffer_parts of_ranks{}; ///< the part of each rank; of an alltoall the block to each rank
    buffer_parts received{}; ///< of an alltoall: the block from each rank
};

/// Throws invalid_argument for a negative number.
[[noreturn]] void refuse_negative(schedule::operation what, const char* number);

template <counts_range Counts>
[[nodiscard]] std::vector<std::size_t> numbers_of(schedule::operation what, const Counts& counts, const char* name) {
    std::vector<std::size_t> all;
    for (const auto n : counts) {
        if constexpr (std::signed_integral<std::remove_const_t<decltype(n)>>)
            if (n < 0) refuse_negative(what, name);
        all.push_back(static_cast<std::size_t>(n));
    }
    return all;
}
template <parts_like Parts>
[[nodiscard]] buffer_parts buffer_parts_of(schedule::operation what, const Parts& parts) {
    if constexpr (is_displaced<Parts>)
        return {numbers_of(what, parts.counts, "count"), numbers_of(what, parts.displacements, "displacement")};
    else
        return {numbers_of(what, parts, "count"), std::nullopt};
}

struct uneven_placement : placement {
    std::shared_ptr<const schedule::part_lengths> lengths;
};

/// Checks counts, buffers and root, and says where the data lie. Elements have `element_bytes`. In place means the same
/// as for equal parts; an alltoall cannot be in place. Throws invalid_argument.
[[nodiscard]] uneven_placement placed_uneven(schedule::operation what, raw_range in, raw_range out,
                                             const part_counts& counts, std::size_t element_bytes,
                                             const schedule::position& self);

/// Whether every rank knows the lengths of all parts. Where only some do, no rank may pass on another rank's part,
/// which limits the algorithms.
[[nodiscard]] constexpr bool all_know_lengths(schedule::operation what) noexcept {
    return what == schedule::operation::allgather || what == schedule::operation::reduce_scatter;
}
[[nodiscard]] inline model::selection local_choice(schedule::operation what) {
    if (what == schedule::operation::alltoall) return {algorithm::direct{}, 1};
    return {algorithm::naive{}, 1};
}

/// The engine's call for parts of unequal length; make_call makes the one for equal parts.
template <schedule::operation what, class Issuer, class T, class U, class Op, class How>
[[nodiscard]] engine::call make_uneven_call(const Issuer& by, std::span<T> in, std::span<U> out,
                                            const part_counts& counts, int root, const Op& op, const How& how) {
    using value = std::remove_const_t<U>;
    static_assert(std::is_same_v<std::remove_const_t<T>, value>,
                  "tutti: input and output must have the same element type");
    uneven_placement at = placed_uneven(what, raw(in), raw(out), counts, sizeof(value), {by.rank(), by.size(), root});
    const std::size_t volume = all_know_lengths(what) ? at.count * sizeof(value) : 0; // equal on all ranks
    const model::selection s = !all_know_lengths(what) && leaves_choice(how)
                                   ? local_choice(what)
                                   : selected_for<what, Op>(how, volume, by.choice(), false);
    engine::call c = call_of(what, s, at, root, false);
    c.lengths = std::move(at.lengths);
    put_types<value>(c, op);
    return c;
}

} // namespace detail

} // namespace tutti

#if !defined(TUTTI_COMPILED)
#include "uneven.ipp"
#endif

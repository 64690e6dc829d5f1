// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce_many.hpp"
#include "meeting.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

/// Allreduce by ranks whose kernels reach each other's memory. In one shot each rank reads the whole of all inputs, and
/// writes its own output. In two shots each rank reads one part of all inputs, and writes it to all outputs. One body
/// does both: the ranks meet, reduce_many, and meet again. The operands are taken in the order of ranks, so all ranks
/// have the same bits.
namespace tutti::kernels {

/// The elements of a two-shot allreduce that one rank reduces: `part` of `parts`, about as many for each. Where sizes
/// of elements are powers of two, each part begins a multiple of 16 bytes behind the first element of every array. So
/// all parts have the widest accesses.
template <class T, class Op, class Epilogue>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr reduction<T, Op, Epilogue> part_of(reduction<T, Op, Epilogue> whole,
                                                                             unsigned part, unsigned parts) noexcept {
    constexpr std::size_t unit = lanes_of<reduction<T, Op, Epilogue>>;
    const std::size_t count = whole.count, units = (count + unit - 1) / unit;
    const std::size_t begin = units * part / parts * unit, end = units * (part + 1) / parts * unit;
    whole.first += begin < count ? begin : count;
    whole.count = (end < count ? end : count) - (begin < count ? begin : count);
    return whole;
}

/// Errors: as of check_group and access_of; invalid_argument, where the number of sources is not that of ranks.
template <class T, class Op, class Epilogue>
[[nodiscard]] access_width access_of_shot(const peer_group& group, const reduction<T, Op, Epilogue>& what) {
    check_group(group);
    if (what.sources != group.size)
        reject("allreduce_shot",
               "it has " + std::to_string(what.sources) + " sources for " + std::to_string(group.size) + " ranks",
               "give the input of each rank, by rank");
    return access_of(what);
}

/// The body of one thread. `what` is what this rank does: everything (one shot) or its part_of that (two shots). Its
/// sources are the ranks' inputs, in order, and its destinations this rank's output, or all ranks'. `signature` tells
/// the call from others: equal on all ranks, or the group fails. `failed` is a word of the block's own.
///
/// In one shot no output may be an input; in two shots it may be that of its own rank. When the kernel ends, this
/// rank's output is complete, and the others have read this rank's input: both may be used. Where the group fails, the
/// output is anything, and other ranks may still use both: see peer_group. Cost: in one shot each rank moves (P + 1) N
/// bytes, in two 2 N. Two meetings.
template <unsigned lanes, unsigned most, class T, class Op, class Epilogue, peer_execution Here>
TUTTI_HOST_DEVICE void allreduce_shot(const peer_group& group, std::uint32_t signature,
                                      const reduction<T, Op, Epilogue>& what, access_width how, std::uint64_t* failed,
                                      const Here& here) {
    detail::block_in_group<Here> block(group, signature, failed, here);
    if (!block.meet()) return;
    reduce_many<lanes, most>(what, how, here);
    if (block.meet()) block.end();
}

/// One rank's call, as a kernel's parameter.
template <unsigned lanes, unsigned most, class Reduction>
struct shot {
    peer_group group;        ///< the ranks, and how they meet
    Reduction what;          ///< what this rank reduces, and what becomes of the totals
    access_width how;        ///< how wide its accesses are
    std::uint32_t signature; ///< tells the call from others; the same on every rank

    /// The body of one thread. `failed` is a word of the block's own.
    template <peer_execution Here>
    TUTTI_HOST_DEVICE void operator()(std::uint64_t* failed, const Here& here) const {
        allreduce_shot<lanes, most>(group, signature, what, how, failed, here);
    }
};

} // namespace tutti::kernels

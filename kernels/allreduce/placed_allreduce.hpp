// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "allreduce_shots.hpp"
#include "meeting.hpp"
#include "placed_data.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::kernels {

/// An allreduce of processes that have a device each, in one shot or in two, as one rank's kernel parameter. Each
/// rank's data may be at another place of its windows: it tells the others where, when the kernels meet. `T` and `Op`
/// are those of reduce_many; `Last` is stored<T>, or scaled of it for an average.
///
/// One shot is taken where `may_be_one_shot` and no rank's output is its input; so all ranks take the same. What holds
/// for allreduce_shot holds here. `most` is 2, 4 or 8, and not less than group.size.
template <unsigned most, element T, class Op, class Last>
struct placed_allreduce {
    peer_group group;             ///< the ranks, and how they meet
    std::uint32_t signature = 0;  ///< tells the call from others; the same on every rank
    std::size_t count = 0;        ///< elements of each vector
    bool may_be_one_shot = false; ///< the same on every rank
    window_table windows;         ///< of all ranks, as this rank's device reaches them
    /// This rank's data: the same place, or places that do not overlap.
    /// @{
    window_place in, out;
    /// @}
    Last last{}; ///< takes the totals; its destinations are filled in here
    Op op{};     ///< the operator

    /// The body of one thread. `failed` is a word of the block's own.
    template <peer_execution Here>
    TUTTI_HOST_DEVICE void operator()(std::uint64_t* failed, const Here& here) const {
        detail::block_in_group<Here> block(group, signature, failed, here);
        const auto tell = [&](unsigned peer) {
            std::uint64_t* const there = group.pages[peer]->told[here.block()][group.rank];
            here.store_relaxed(&there[0], packed(in));
            here.store_relaxed(&there[1], packed(out));
        };
        if (!block.meet(tell)) return;
        auto what = learnt(here);
        reduce_placed<most>(what, here);
        if (block.meet()) block.end();
    }

private:
    /// What this rank reduces, of what all have told.
    template <peer_execution Here>
    [[nodiscard]] TUTTI_HOST_DEVICE reduction<T, Op, Last> learnt(const Here& here) const {
        reduction<T, Op, Last> what;
        what.last = last;
        what.op = op;
        what.sources = group.size;
        what.count = count;
        auto& to = destinations_of(what.last);
        bool one_shot = may_be_one_shot;
        TUTTI_UNROLL
        for (unsigned r = 0; r < most; ++r)
            if (r < group.size) {
                const std::uint64_t* const told = group.pages[group.rank]->told[here.block()][r];
                const std::uint64_t its_in = here.load_relaxed(&told[0]), its_out = here.load_relaxed(&told[1]);
                what.from[r] = windows.at<const T>(place_in(its_in), r);
                to.to[r] = windows.at<T>(place_in(its_out), r);
                one_shot = one_shot && its_in != its_out;
            }
        to.number = one_shot ? 1 : group.size;
        if (one_shot) to.to[0] = windows.at<T>(out, group.rank);
        return one_shot ? what : part_of(what, group.rank, group.size);
    }

    /// A place as one word: 8 bits of window, 56 of offset.
    static constexpr unsigned offset_bits = 56;
    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr std::uint64_t packed(const window_place& p) noexcept {
        return p.window << offset_bits | p.offset;
    }
    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr window_place place_in(std::uint64_t word) noexcept {
        return {word >> offset_bits, word & ((std::uint64_t{1} << offset_bits) - 1)};
    }
};

} // namespace tutti::kernels

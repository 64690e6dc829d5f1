// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce_many.hpp"
#include "meeting.hpp"
#include "placed_data.hpp"

#include <cstddef>
#include <cstdint>

/// Allreduce of processes that share a device, by one kernel of one of them. It reads all inputs and writes all
/// outputs. So no kernel waits for another one, and no other process needs the device for a kernel.
namespace tutti::kernels {

/// What a rank asks of one call. The kernel finds it in memory of its device, where the stream has copied it after the
/// rank's own stream had come to the call.
struct call_request {
    std::uint64_t call = 0;      ///< the number of the call, from 1
    std::uint64_t signature = 0; ///< of operation, operator, type and count
    /// The same place, or places that do not overlap.
    /// @{
    window_place in, out;
    /// @}
    std::uint64_t unused[2]{}; ///< a whole cache line
};
static_assert(sizeof(call_request) == 64);

/// The kernel's parameter. `T` and `Op` are those of reduce_many; `Last` is stored<T>, or scaled of it for an average.
///
/// Where the group has failed the kernel does nothing. Every rank's request has this call's number and signature, or it
/// stores a failure_word and writes nothing else. Each output gets ((in0 ∘ in1) ∘ in2) ..., rounded once. Cost: 2 P N
/// bytes.
template <element T, class Op, class Last>
struct fused_allreduce {
    unsigned ranks = 1;                     ///< how many ranks there are, most_peers at most
    std::uint64_t call = 0;                 ///< its number, which every request must have
    std::uint64_t signature = 0;            ///< which every request must have
    std::size_t count = 0;                  ///< elements of each vector
    const std::uint64_t* failed = nullptr;  ///< beside the requests: not 0 where the group has failed
    const call_request* requests = nullptr; ///< by rank
    window_table windows;                   ///< of all ranks, where this process has them mapped
    std::uint64_t* failure = nullptr;       ///< a word of the host's; the kernel alone stores to it by this
    Last last{};                            ///< takes the totals; its destinations are filled in here
    Op op{};                                ///< the operator

    /// The body of one thread. `most` is 2, 4 or 8, and not less than `ranks`.
    template <unsigned most, peer_execution Here>
    TUTTI_HOST_DEVICE void run(const Here& here) const {
        if (*failed != 0) return; // streams were released whose ranks have not come
        for (unsigned r = 0; r < ranks; ++r)
            if (requests[r].call != call || requests[r].signature != signature) {
                const failure_word told{group_failure::mismatch, 0, static_cast<std::uint8_t>(r)};
                if (number_of(here) == 0) here.store_release(failure, packed(told));
                return;
            }
        reduction<T, Op, Last> what;
        what.last = last;
        what.op = op;
        what.sources = ranks;
        what.count = count;
        auto& to = destinations_of(what.last);
        to.number = ranks;
        TUTTI_UNROLL
        for (unsigned r = 0; r < most; ++r)
            if (r < ranks) {
                what.from[r] = windows.at<const T>(requests[r].in, r);
                to.to[r] = windows.at<T>(requests[r].out, r);
            }
        reduce_placed<most>(what, here);
    }
};

} // namespace tutti::kernels

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/meeting.hpp"
#include "../reduce_many.hpp"
#include "device_plan.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

/// The device engine: schedules of the library, or of a user, run by kernels of ranks that reach each other's memory.
///
/// A block works on tiles of the vector, in every step and on every rank the same. So block b waits for block b of
/// other ranks alone. It does its rank's plan strictly one step after the other. A send is a post; the receiver reads
/// the message where it lies, and acknowledges it. Operands and their order are those of the host's engine, and so are
/// the bits.
namespace tutti::kernels {

/// Bytes of a tile. Tile t is of block t modulo the number of blocks.
inline constexpr std::size_t tile_bytes = 4096;

/// The words that other ranks store for one rank. Zeroed before the group's first kernel starts.
///
/// All words are stored by block b of rank p (released), and loaded by block b of the page's rank (acquired). So what
/// p's block wrote before a post, and read before an acknowledgement, is over when the other sees it.
struct device_page {
    std::uint64_t called[most_group_blocks][most_peers]; ///< the number of p's call, and its signature
    std::uint64_t posted[most_group_blocks][most_peers]; ///< messages of p to this rank, of all calls
    std::uint64_t taken[most_group_blocks][most_peers];  ///< messages of this rank to p that p has read
};

/// The counters of a block of one rank; zeroed before the first kernel.
struct device_counters {
    /// Messages of all calls that are over, by peer.
    /// @{
    std::uint64_t sent[most_peers], received[most_peers];
    /// @}
    std::uint32_t calls; ///< that are over
};

/// One rank's call, as a kernel's parameter. All ranks' plans are of one device_plans_of. Every rank has the same
/// `signature`, which tells the call from others, or the group fails.
///
/// The vectors are `input` and `output` of each rank, as the operation has them on the host (in place, one memory), and
/// scratch memory as large as its plan says. All of them are aligned to elements; accesses have 16 bytes where the
/// operands of a step are congruent modulo 16, else one element. Precondition: blocks are resident at once, see
/// peer_group.
///
/// When the kernel ends, this rank's output is complete, and no other reads this rank's memory any more. Where the
/// group fails, the output is anything, and others may still read: see peer_group. An average is a sum, and a pass of
/// reduce_many with the epilogue `scaled` behind it. Cost: schedule::cost of the schedule; of N bytes that a message
/// has N are read and N written, and a viewed one is read alone.
template <element T, class Op>
struct device_call {
    static_assert(sizeof(T) <= tile_bytes, "tutti: an element of a device_call fits into a tile of 4 KiB");
    static_assert(
        !std::same_as<tutti::detail::bare_operator<Op>, average_operator>,
        "tutti: an average here is a sum, and a pass of reduce_many with scaled{1.0F / ranks, ...} behind it");
    static_assert(!tutti::detail::is_premultiplied_sum<tutti::detail::bare_operator<Op>>,
                  "tutti: a premultiplied sum here is a sum, and a pass of reduce_many of one source "
                  "with scaled{factor, ...} before it");

    peer_group group;                         ///< the ranks, and how they meet
    device_page* pages[most_peers]{};         ///< by rank
    device_counters* counters = nullptr;      ///< this rank's own, by block
    const device_step* steps = nullptr;       ///< of the plan, in memory of the device
    const operand* operands = nullptr;        ///< of the plan, in memory of the device
    std::uint32_t number = 0;                 ///< of steps
    std::uint32_t signature = 0;              ///< tells the call from others; the same on every rank
    message_counts messages;                  ///< of the plan
    T* memory[most_peers][device_memories]{}; ///< by rank; an input is written only where it is the output
    Op op{};                                  ///< the operator

    /// The body of one thread. `failed` is a word of the block's own.
    template <peer_execution Here>
    TUTTI_HOST_DEVICE void operator()(std::uint64_t* failed, const Here& here) const;
};

namespace detail {

/// The threads of one block, as if there were no others.
template <execution Here>
class lone_block {
public:
    TUTTI_HOST_DEVICE explicit lone_block(const Here& here) noexcept : here_(here) {}
    [[nodiscard]] TUTTI_HOST_DEVICE unsigned thread() const noexcept { return here_.thread(); }
    [[nodiscard]] TUTTI_HOST_DEVICE unsigned threads() const noexcept { return here_.threads(); }
    [[nodiscard]] TUTTI_HOST_DEVICE unsigned block() const noexcept { return 0; }
    [[nodiscard]] TUTTI_HOST_DEVICE unsigned blocks() const noexcept { return 1; }
    TUTTI_HOST_DEVICE void sync() const { here_.sync(); }

private:
    const Here& here_;
};

/// One block of one rank's kernel, as it takes the steps of its plan. All threads call all members.
template <element T, class Op, peer_execution Here>
class plan_walk {
public:
    TUTTI_HOST_DEVICE plan_walk(const device_call<T, Op>& call, std::uint64_t* failed, const Here& here)
        : call_(call), here_(here), block_(call.group, call.signature, failed, here),
          counts_(call.counters[here.block()]) {}

    TUTTI_HOST_DEVICE void run() {
        if (!block_.none_failed()) return;
        tell_call();
        for (std::uint32_t k = 0; k < call_.number; ++k)
            if (!take(call_.steps[k])) return;
        here_.sync(); // no thread reads the counts of earlier calls any more
        if (here_.thread() == 0) count_call();
    }

private:
    static constexpr unsigned lanes = most_lanes(sizeof(T), sizeof(T));

    /// Tells all others which call this is, so that a rank that waits for this one in another call finds out.
    TUTTI_HOST_DEVICE void tell_call() const {
        const std::uint64_t word = std::uint64_t{number_of_call()} << 32 | call_.signature;
        for (unsigned peer = here_.thread(); peer < call_.group.size; peer += here_.threads())
            here_.store_release(&call_.pages[peer]->called[here_.block()][call_.group.rank], word);
    }

    /// False if the group has failed.
    [[nodiscard]] TUTTI_HOST_DEVICE bool take(const device_step& s) {
        auto& of_peer = *call_.pages[s.peer];
        auto& own = *call_.pages[call_.group.rank];
        const unsigned b = here_.block(), self = call_.group.rank;
        switch (s.what) {
        case device_action::combine: return combine(s), true;
        case device_action::post: return tell(&of_peer.posted[b][self], counts_.sent[s.peer] + s.number);
        case device_action::acknowledge: return tell(&of_peer.taken[b][self], counts_.received[s.peer] + s.number);
        case device_action::await_post:
            return await(s.peer, &own.posted[b][s.peer], counts_.received[s.peer] + s.number, false);
        default: return await(s.peer, &own.taken[b][s.peer], counts_.sent[s.peer] + s.number, true);
        }
    }

    /// All writes and reads of the block's threads come before it.
    TUTTI_HOST_DEVICE bool tell(std::uint64_t* word, std::uint64_t number) const {
        here_.sync();
        if (here_.thread() == 0) here_.store_release(word, number);
        return true;
    }

    [[nodiscard]] TUTTI_HOST_DEVICE bool await(unsigned peer, const std::uint64_t* word, std::uint64_t number,
                                               bool may_be_ahead) {
        if (here_.thread() == 0 && !(is_in_this_call(peer, may_be_ahead) && reaches(peer, word, number)))
            block_.note_failure();
        return block_.none_failed();
    }
    [[nodiscard]] TUTTI_HOST_DEVICE bool reaches(unsigned peer, const std::uint64_t* word, std::uint64_t number) const {
        return block_.wait_for(peer, [&] { return here_.load_acquire(word) >= number; });
    }
    /// One thread. Waits until the peer has begun this call, and compares signatures. A peer that has read all
    /// messages of this rank may be in the next call already. A peer with messages yet to be read cannot be.
    [[nodiscard]] TUTTI_HOST_DEVICE bool is_in_this_call(unsigned peer, bool may_be_ahead) {
        if ((greeted_ >> peer & 1U) != 0) return true;
        const std::uint64_t* const flag = &call_.pages[call_.group.rank]->called[here_.block()][peer];
        std::uint64_t seen = 0;
        std::int32_t ahead = 0;
        const auto began = [&] {
            seen = here_.load_acquire(flag);
            ahead = static_cast<std::int32_t>(static_cast<std::uint32_t>(seen >> 32) - number_of_call());
            return ahead >= 0;
        };
        if (!block_.wait_for(peer, began)) return false;
        greeted_ |= 1U << peer;
        const bool fits = ahead == 0 ? static_cast<std::uint32_t>(seen) == call_.signature : may_be_ahead;
        return fits || block_.fail(group_failure::mismatch, peer);
    }

    TUTTI_HOST_DEVICE void combine(const device_step& s) const {
        constexpr std::size_t tile = tile_bytes / sizeof(T);
        here_.sync(); // this thread reads data that other threads have written
        const std::uint64_t blocks = here_.blocks(), first = s.first / tile;
        for (std::uint64_t t = first + (here_.block() + blocks - first % blocks) % blocks; t * tile < s.end;
             t += blocks) {
            const std::uint64_t from = t * tile < s.first ? s.first : t * tile;
            const std::uint64_t end = (t + 1) * tile < s.end ? (t + 1) * tile : s.end;
            combine(call_.operands + s.number, s.operands, from, end - from);
        }
    }
    TUTTI_HOST_DEVICE void combine(const operand* of, unsigned operands, std::uint64_t first, std::size_t count) const {
        const auto place = [&](const operand& o) {
            return call_.memory[o.rank][static_cast<unsigned>(o.of)] + (static_cast<std::int64_t>(first) + o.shift);
        };
        const auto misalignment = [](const T* at) {
            return reinterpret_cast<std::uintptr_t>(at) % (lanes * sizeof(T));
        };
        reduction<T, Op, stored<T>> what;
        T* const to = place(of[operands]);
        bool aligned = misalignment(to) % sizeof(T) == 0;
        TUTTI_UNROLL
        for (unsigned k = 0; k < most_sources; ++k)
            if (k < operands) {
                what.from[k] = place(of[k]);
                aligned = aligned && misalignment(what.from[k]) == misalignment(to);
            }
        what.last = {{to}, 1};
        what.sources = operands;
        what.count = count;
        what.op = call_.op;
        if (aligned)
            combine<lanes>(what, static_cast<unsigned>((lanes - misalignment(to) / sizeof(T)) % lanes));
        else
            combine<1>(what, 0);
    }
    template <unsigned width>
    TUTTI_HOST_DEVICE void combine(const reduction<T, Op, stored<T>>& what, unsigned head) const {
        const lone_block here(here_);
        if (what.sources == 1) // as bits: also those of a NaN
            for_each_pack<width>(what.count, head, here, [&]<unsigned lanes_here>(std::size_t at) {
                pack<T, lanes_here> held;
                held.load(what.from[0] + at);
                held.store(what.last.to[0] + at);
            });
        else if (what.sources == 2)
            reduce_many<width, 2>(what, {width, head}, here);
        else
            reduce_many<width, most_sources>(what, {width, head}, here);
    }
    [[nodiscard]] TUTTI_HOST_DEVICE std::uint32_t number_of_call() const noexcept { return counts_.calls + 1; }
    /// One thread.
    TUTTI_HOST_DEVICE void count_call() {
        for (unsigned peer = 0; peer < call_.group.size; ++peer) {
            counts_.sent[peer] += call_.messages.sent[peer];
            counts_.received[peer] += call_.messages.received[peer];
        }
        ++counts_.calls;
    }

    const device_call<T, Op>& call_;
    const Here& here_;
    block_in_group<Here> block_;
    device_counters& counts_;   ///< of the calls before this one, until it is over
    std::uint32_t greeted_ = 0; ///< of the first thread: a bit for each peer that is known to be in this call
};

} // namespace detail

template <element T, class Op>
template <peer_execution Here>
TUTTI_HOST_DEVICE void device_call<T, Op>::operator()(std::uint64_t* failed, const Here& here) const {
    detail::plan_walk<T, Op, Here>(*this, failed, here).run();
}

} // namespace tutti::kernels

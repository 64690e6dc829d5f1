// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../reduce/execution.hpp"

#include <tutti/base/error.hpp>
#include <tutti/collectives/reduction/host_device.hpp>

#include <cstdint>
#include <string>

/// How kernels of several ranks meet: by words in memory that all of them reach.
namespace tutti::kernels {

/// The most ranks of a group: those of one host.
inline constexpr unsigned most_peers = 8;
/// The most blocks of a rank's kernel.
inline constexpr unsigned most_group_blocks = 64;

/// The words that other ranks store for one rank. Zeroed before the group's first kernel starts.
///
/// arrived[b][p] is stored by block b of rank p and loaded by block b of the page's rank. It is released and acquired:
/// what p's block wrote or read before it is over when the other sees the flag. The failure is stored by any rank and
/// loaded by the page's own; it guards no data.
///
/// told[b][p] is stored by block b of rank p, before `arrived` of a call's first meeting. Block b of the page's rank
/// loads it between that meeting and the next. So p stores the words of its next call after they were loaded.
struct flag_page {
    std::uint64_t arrived[most_group_blocks][most_peers]; ///< the number of a meeting, and the signature of its call
    std::uint64_t told[most_group_blocks][most_peers][2]; ///< where data of a placed_allreduce are
    std::uint64_t failure;                                ///< not 0: the group has failed, and stays so. A failure_word
};

/// The counters of one rank's blocks. All blocks count alike, since each takes part in each call.
struct block_counters {
    std::uint32_t meetings = 0;     ///< of all calls so far
    std::uint32_t packet_calls = 0; ///< calls by packets so far
};

/// A kernel's group. Every rank has the same `size`, `blocks` and order of calls. All blocks of a rank
/// are resident at once: each waits for the block of its number on every other rank, and for no other. A rank's calls
/// run one after the other: a kernel starts when the one before it has ended.
///
/// A group that has failed stays so. Its memory, with the vectors of the call, is used by other ranks until their
/// kernels have ended. Make another group then.
struct peer_group {
    /// This rank, and how many there are.
    /// @{
    unsigned rank = 0, size = 1;
    /// @}
    unsigned blocks = 1;                ///< of each rank's kernel
    flag_page* pages[most_peers]{};     ///< by rank
    block_counters* counters = nullptr; ///< this rank's own, by block; zeroed before its first kernel
    /// Memory of the host, 0 at first: gets the failure_word, if there is one. The host may store one here as well,
    /// which ends what kernels wait for, on all ranks.
    std::uint64_t* report = nullptr;
    std::uint64_t timeout_ns = 0; ///< how long one thread waits for one peer
};

/// Errors: invalid_argument, where ranks or blocks are out of range, or memory is missing.
inline void check_group(const peer_group& group) {
    if (group.size < 1 || group.size > most_peers || group.rank >= group.size)
        reject("a group of kernels", "it has rank " + std::to_string(group.rank) + " of " + std::to_string(group.size),
               "groups have 1 to " + std::to_string(most_peers) + " ranks");
    if (group.blocks < 1 || group.blocks > most_group_blocks)
        reject("a group of kernels", "it has " + std::to_string(group.blocks) + " blocks",
               "groups have 1 to " + std::to_string(most_group_blocks));
    bool whole = group.counters && group.report;
    for (unsigned r = 0; r < group.size; ++r) whole = whole && group.pages[r];
    if (!whole) reject("a group of kernels", "it lacks pages, counters or a report", "set them for every rank");
}

/// Why a group has failed.
enum class group_failure : std::uint8_t {
    none = 0,     ///< it has not
    timeout = 1,  ///< a peer did not come within timeout_ns
    mismatch = 2, ///< a peer came to another call
    lost = 3,     ///< a peer's process has ended: found by hosts, not by kernels
    device = 4,   ///< a peer's device has failed: likewise
};

/// The cause, the rank that found it, and the rank at fault.
struct failure_word {
    group_failure why = group_failure::none; ///< the cause
    /// The rank that found the failure, and the rank at fault.
    /// @{
    std::uint8_t found_by = 0, peer = 0;
    /// @}
    friend bool operator==(const failure_word&, const failure_word&) = default;
};
/// The failure as one word, which ranks can store at once.
[[nodiscard]] TUTTI_HOST_DEVICE constexpr std::uint64_t packed(failure_word f) noexcept {
    return std::uint64_t{f.peer} << 16 | std::uint64_t{f.found_by} << 8 | static_cast<std::uint64_t>(f.why);
}
/// The failure that a word holds.
[[nodiscard]] constexpr failure_word failure_in(std::uint64_t word) noexcept {
    return {static_cast<group_failure>(word & 0xff), static_cast<std::uint8_t>(word >> 8),
            static_cast<std::uint8_t>(word >> 16)};
}

namespace detail {

/// One block of one rank's kernel during one call.
template <peer_execution Here>
class block_in_group {
public:
    /// `failed` is a word of the block's own. All threads; so are the members, unless they say otherwise.
    TUTTI_HOST_DEVICE block_in_group(const peer_group& group, std::uint32_t signature, std::uint64_t* failed,
                                     const Here& here)
        : group_(group), here_(here), failed_(failed), signature_(signature), counters_(group.counters[here.block()]) {
        if (here.thread() == 0) here.store_relaxed(failed, group_has_failed() ? 1 : 0);
        here.sync();
    }

    /// Waits for this block on all ranks. Writes before it are visible to all after it. False, on all threads, if the
    /// group has failed.
    [[nodiscard]] TUTTI_HOST_DEVICE bool meet() {
        return meet([](unsigned) {});
    }
    /// The same. Calls `tell(peer)` once for each rank, on one thread, whose stores that rank's block then sees.
    template <class Tell>
    [[nodiscard]] TUTTI_HOST_DEVICE bool meet(const Tell& tell) {
        ++counters_.meetings;
        here_.sync(); // what the block's threads have written is released by those that announce
        const std::uint64_t mine = flag_word(counters_.meetings, signature_);
        for (unsigned peer = here_.thread(); peer < group_.size; peer += here_.threads()) {
            tell(peer);
            here_.store_release(&group_.pages[peer]->arrived[here_.block()][group_.rank], mine);
        }
        for (unsigned peer = here_.thread(); peer < group_.size; peer += here_.threads())
            if (!await(peer)) note_failure();
        return none_failed();
    }

    /// One thread. Waits until `arrived()`; false if the group fails first. About `peer`, if that takes too long.
    template <class Arrived>
    [[nodiscard]] TUTTI_HOST_DEVICE bool wait_for(unsigned peer, const Arrived& arrived) const {
        constexpr unsigned looks_a_clock = 64; // to look at failure and clock takes longer than to look at a flag
        constexpr unsigned looks_a_host = 16 * looks_a_clock; // and at the host's memory much longer
        std::uint64_t began = 0;
        for (unsigned looks = 1; !arrived(); ++looks) {
            if (looks % looks_a_clock == 0) {
                if (group_has_failed() || (looks % looks_a_host == 0 && host_has_failed())) return false;
                const std::uint64_t now = here_.nanoseconds();
                if (began == 0) began = now;
                if (now - began > group_.timeout_ns) return fail(group_failure::timeout, peer);
            }
            here_.rest();
        }
        return true;
    }
    /// One thread. The group fails: every rank is told. Of failures found at one time any may be told.
    TUTTI_HOST_DEVICE bool fail(group_failure why, unsigned peer) const {
        if (group_has_failed()) return false;
        const auto word = packed({why, static_cast<std::uint8_t>(group_.rank), static_cast<std::uint8_t>(peer)});
        tell_all(word);
        here_.store_release(group_.report, word);
        return false;
    }
    /// One thread: none_failed() is false from now on.
    TUTTI_HOST_DEVICE void note_failure() const { here_.store_relaxed(failed_, 1); }
    /// Whether the group had not failed when the call began, and no thread of the block has noted a failure since.
    [[nodiscard]] TUTTI_HOST_DEVICE bool none_failed() const {
        here_.sync();
        const bool good = here_.load_relaxed(failed_) == 0;
        here_.sync(); // before anyone notes another
        return good;
    }

    [[nodiscard]] TUTTI_HOST_DEVICE std::uint32_t packet_calls() const noexcept { return counters_.packet_calls; }
    TUTTI_HOST_DEVICE void count_packet_call() noexcept { ++counters_.packet_calls; }
    /// The call is complete on this block. All threads.
    TUTTI_HOST_DEVICE void end() const {
        if (here_.thread() == 0) group_.counters[here_.block()] = counters_;
    }

private:
    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr std::uint64_t flag_word(std::uint32_t meeting,
                                                                             std::uint32_t signature) noexcept {
        return std::uint64_t{meeting} << 32 | signature;
    }
    /// Meetings are counted from 1. A call that meets does so twice: 2k+1 and 2k+2, also when the count has wrapped.
    [[nodiscard]] static TUTTI_HOST_DEVICE constexpr std::uint32_t call_of(std::uint32_t meeting) noexcept {
        return (meeting - 1) >> 1;
    }

    /// Waits for the peer at this meeting. It may be at the next one already, of this call or the next call. It cannot
    /// be further, since the next meeting waits for this rank. Signatures are compared within one call.
    [[nodiscard]] TUTTI_HOST_DEVICE bool await(unsigned peer) const {
        const std::uint64_t* const flag = &group_.pages[group_.rank]->arrived[here_.block()][peer];
        std::uint64_t seen = 0;
        const auto arrived = [&] {
            seen = here_.load_acquire(flag);
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(seen >> 32) - counters_.meetings) >= 0;
        };
        if (!wait_for(peer, arrived) || group_has_failed()) return false;
        const bool same_call = call_of(static_cast<std::uint32_t>(seen >> 32)) == call_of(counters_.meetings);
        if (same_call && static_cast<std::uint32_t>(seen) != signature_) return fail(group_failure::mismatch, peer);
        return true;
    }
    [[nodiscard]] TUTTI_HOST_DEVICE bool group_has_failed() const {
        const std::uint64_t word = here_.load_acquire(&group_.pages[group_.rank]->failure);
        if (word != 0) here_.store_release(group_.report, word);
        return word != 0;
    }

    /// The host has stored a failure, which the other ranks are told.
    [[nodiscard]] TUTTI_HOST_DEVICE bool host_has_failed() const {
        const std::uint64_t word = here_.load_acquire(group_.report);
        if (word != 0) tell_all(word);
        return word != 0;
    }
    TUTTI_HOST_DEVICE void tell_all(std::uint64_t word) const {
        for (unsigned r = 0; r < group_.size; ++r) here_.store_release(&group_.pages[r]->failure, word);
    }

    const peer_group& group_;
    const Here& here_;
    std::uint64_t* failed_;
    std::uint32_t signature_;
    block_counters counters_;
};

} // namespace detail

} // namespace tutti::kernels

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// The status page of a rank: memory that other processes of its user map and read while the rank computes, is stopped
/// or is dead. One thread writes at a time, the one that drives the rank's world; any number of processes read. Times
/// are nanoseconds of CLOCK_MONOTONIC, which all processes of a host share; 0 is none.
namespace tutti::transport::status {

/// "tutti", and the version of the layout; raise it when the meaning of anything below changes.
inline constexpr std::uint64_t this_layout = 0x7475'7474'6953'0002;

/// Facts that stay. Written before the file has a name, so that no reader sees them change.
struct page_head {
    std::uint64_t layout = this_layout;
    std::uint64_t world = 0; ///< its id, drawn by rank 0: equal on all ranks, unlike that of any other world
    std::int32_t rank = -1, size = 0, node = 0;
    std::int32_t hosts = 0;          ///< of the whole world
    std::int64_t pid = 0;            ///< as the rank's own process namespace has it
    std::uint64_t process_start = 0; ///< ticks since boot, as in /proc/PID/stat: tells a process from a later one
    std::int64_t joined = 0;
    std::int64_t joined_wall = 0;             ///< the same moment in seconds since 1970
    std::array<char, 64> host{}, zero_host{}; ///< names: of this rank's host, of rank 0's
    std::array<char, 96> command{};           ///< the process's command line, cut
    std::array<char, 64> group{};             ///< the program's name for the world
    std::int64_t global_rank = -1;            ///< the program's number of this rank; -1: none
};

/// The number in a call_line that stands for sends and receives; smaller ones are schedule::operation.
inline constexpr unsigned messages_code = 15;

/// The only part that each call writes: two stores as it starts, one as it ends. All are relaxed. Each is a whole fact
/// by itself, and no reader concludes from one of them that it sees another. So `entered` may be of the call before or
/// after the one in `word`.
struct call_line {
    /// From the top: the number of the last call that started, on its communicator, 40 bits; its operation, 4 bits; how
    /// many calls are under way, 20 bits.
    std::atomic<std::uint64_t> word{0};
    std::atomic<std::int64_t> entered{0}; ///< when the last call started, by the kernel's tick

    static constexpr std::uint64_t count_mask = (1U << 20) - 1;

    // The writer's. A plain load and store, since there is one writer.
    void begin(unsigned what, std::uint64_t request) noexcept {
        const auto under_way = (word.load(std::memory_order_relaxed) + 1) & count_mask;
        word.store(request << 24 | std::uint64_t{what} << 20 | under_way, std::memory_order_relaxed);
    }
    void end() noexcept { word.store(word.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed); }
};

/// A call under way, and for whom it waits.
struct call_entry {
    std::uint64_t communicator = 0, request = 0;
    std::uint64_t signature = 0;         ///< of the call and all before it on its communicator; 0: it has none
    std::int64_t since = 0;              ///< it has waited in this step for this peer
    std::int64_t deadline = 0;           ///< 0: none
    std::int32_t step = -1, steps = 0;   ///< that waits, of so many; -1: none, or it has no steps
    std::int32_t done = 0;               ///< steps that are done
    std::uint16_t waits_for = 0;         ///< how many peers it waits for; the first of them are in `peers`
    std::uint8_t blocks = 0;             ///< the rank's program waits for it
    std::uint8_t local = 0;              ///< its executor has work of it: it waits for no peer
    std::array<std::int32_t, 8> peers{}; ///< ranks of the world
    std::array<char, 104> words{};       ///< the call in words, cut
};

/// What the driving thread writes when it looks around: 50 ms after the last message moved at the latest, and so often
/// from then on.
struct details {
    std::int64_t looked = 0;           ///< when that was
    std::int64_t stalled_since = 0;    ///< no message has moved since
    std::uint32_t under_way = 0;       ///< calls whose turn it is; the first of them are in `calls`
    std::uint32_t listed = 0;          ///< of them in `calls`
    std::array<call_entry, 4> calls{}; ///< those that the program waits for first
    std::array<char, 120> failure{};   ///< why calls of this rank failed; empty: none has since the program went on
};

/// Details under a sequence lock. All words are atomic, so that a reader which comes in the middle reads torn details,
/// not undefined ones, and finds out.
///
/// The writer makes `sequence` odd, stores the words (release each), and makes it even (release). A reader loads the
/// sequence, the words (acquire each), and the sequence again. If a word was stored by a later writing, its acquire
/// load makes that writing's odd sequence visible to the reader's second load: the two loads differ, and the copy is
/// dropped. If the first load sees an even sequence, its acquire makes all words of that writing visible.
class details_bank {
    static constexpr std::size_t count = sizeof(details) / sizeof(std::uint64_t);
    static_assert(sizeof(details) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<details>);

public:
    void write(const details& d) noexcept {
        std::array<std::uint64_t, count> all;
        std::memcpy(all.data(), &d, sizeof d);
        const auto before = sequence_.load(std::memory_order_relaxed);
        sequence_.store(before | 1, std::memory_order_relaxed);
        for (std::size_t i = 0; i < count; ++i) words_[i].store(all[i], std::memory_order_release);
        sequence_.store((before | 1) + 1, std::memory_order_release);
    }
    /// False: it is being written, or was meanwhile.
    [[nodiscard]] bool read(details& d) const noexcept {
        std::array<std::uint64_t, count> all;
        const auto before = sequence_.load(std::memory_order_acquire);
        for (std::size_t i = 0; i < count; ++i) all[i] = words_[i].load(std::memory_order_acquire);
        if (before % 2 != 0 || sequence_.load(std::memory_order_relaxed) != before) return false;
        std::memcpy(static_cast<void*>(&d), all.data(), sizeof d);
        return true;
    }

private:
    std::atomic<std::uint64_t> sequence_{0};
    std::array<std::atomic<std::uint64_t>, count> words_{};
};

/// Two banks in turn. A writer that is stopped in the middle of one leaves the other one whole.
class details_board {
public:
    void write(const details& d) noexcept {
        const auto next = latest_.load(std::memory_order_relaxed) ^ 1;
        banks_[next].write(d);
        // Release: who acquires it finds that bank whole, unless it is written once more.
        latest_.store(next, std::memory_order_release);
    }
    /// The latest ones. False if they were written over again and again meanwhile, which takes a reader that is held up
    /// for two looks of the writer each time.
    [[nodiscard]] bool read(details& d) const noexcept {
        for (int tries = 0; tries < 64; ++tries)
            if (banks_[latest_.load(std::memory_order_acquire) & 1].read(d)) return true;
        return false;
    }

private:
    std::atomic<std::uint64_t> latest_{0};
    std::array<details_bank, 2> banks_;
};

/// What this rank has sent to a peer. Each number is a whole fact by itself: relaxed. Messages of a collective are
/// counted when its part on this rank is done, others, and the packets that announce them, when they are started.
struct traffic {
    std::atomic<std::int64_t> peer{0}; ///< its rank plus one; 0: the row is free
    std::atomic<std::uint64_t> messages{0}, bytes{0};

    void add(std::uint64_t more_messages, std::uint64_t more_bytes) noexcept { // one writer
        messages.store(messages.load(std::memory_order_relaxed) + more_messages, std::memory_order_relaxed);
        bytes.store(bytes.load(std::memory_order_relaxed) + more_bytes, std::memory_order_relaxed);
    }
};

/// Of so many peers a page counts by themselves, the first that a rank has sent to. All others share the last row, so
/// that a page has one size whatever the world's.
inline constexpr std::size_t counted_peers = 64;

struct page {
    page_head head;
    alignas(64) call_line line;
    alignas(64) details_board board;
    alignas(64) std::array<traffic, counted_peers + 1> sent;

    /// The writer's: the row of a peer.
    [[nodiscard]] traffic& row_of(int world_rank) noexcept {
        const std::int64_t wanted = std::int64_t{world_rank} + 1;
        for (std::size_t i = 0; i < counted_peers; ++i) {
            const auto of = sent[i].peer.load(std::memory_order_relaxed);
            if (of == 0) sent[i].peer.store(wanted, std::memory_order_relaxed);
            if (of == 0 || of == wanted) return sent[i];
        }
        return sent.back();
    }
};

inline constexpr std::size_t page_bytes = 4096; ///< of the file
static_assert(sizeof(page) <= page_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free); // or processes could not share them

/// Text into a field, cut to fit, with a zero behind it.
template <std::size_t N>
void put(std::array<char, N>& to, const char* text, std::size_t bytes) noexcept {
    const std::size_t n = bytes < N - 1 ? bytes : N - 1;
    to.fill(0);
    std::memcpy(to.data(), text, n);
}

/// A transport whose rank has a page, unless it is switched off: then null. The address is constant.
template <class Transport>
[[nodiscard]] page* page_of(Transport& t) noexcept {
    if constexpr (requires { t.status_page(); })
        return t.status_page();
    else
        return nullptr;
}

} // namespace tutti::transport::status

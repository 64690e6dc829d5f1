// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "descriptor.hpp"

#include <transport/contract/processors.hpp>
#include <transport/world/futex.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace tutti::tools {

namespace detail {

/// The start of a room. The last rank to come resets `arrived` and then raises `generation` (release), on which the
/// others wait (acquire): what any rank wrote before it came is seen by every rank that leaves. `arrived` is reset by
/// the only rank that can touch it then: the others wait for the generation, and come again only after it.
struct room_head {
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) std::atomic<std::uint32_t> generation; // also the futex
    std::atomic<std::uint32_t> sleepers;               // ranks that may be asleep on it
    std::atomic<std::int32_t> lost;                    // rank + 1 of the first that failed; written once, from 0
    std::atomic<std::int32_t> blamed;                  // rank + 1 of the first that another one's error names; likewise
};

inline constexpr std::size_t window = 512;

/// What a rank may use of its host, as bytes: written before it first comes.
struct shown_allotment {
    std::array<std::uint64_t, transport::bootstrap::processor_set::max_words> processors;
    transport::bootstrap::cpu_quota quota;
};

// A rank's part of the room: when it last came, for naming those who did not, the values that it shows, and what it may
// use of its host.
inline constexpr std::size_t values_at = 64, allotment_at = values_at + window * sizeof(double);
inline constexpr std::size_t part_bytes = (allotment_at + sizeof(shown_allotment) + 63) / 64 * 64;

inline constexpr std::size_t head_bytes = 4096;

inline std::size_t bytes_of(int ranks) { return head_bytes + static_cast<std::size_t>(ranks) * part_bytes; }

inline void* map(int ranks, int file) {
    const int kind = file < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
    void* const memory = mmap(nullptr, bytes_of(ranks), PROT_READ | PROT_WRITE, kind, file, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "cannot map the shared memory");
    return memory;
}

// Sleeps while the word holds `seen`, at most for a moment, so that a lost rank or the deadline is noticed.
inline void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
    transport::detail::sleep_on(word, seen, transport::clock::now() + std::chrono::milliseconds{20});
}

using transport::detail::wake_all;

} // namespace detail

/// Memory that all ranks of one host share: a barrier that belongs to no contestant, and a place to compare results.
/// What makes one throws std::system_error. New memory is zero, which is the state of a room that nobody has entered.
class shared_room {
public:
    /// For ranks that are threads of this process.
    static std::shared_ptr<shared_room> create(int ranks) { return open(ranks, -1); }
    /// For ranks that are processes: an anonymous file for the room, to be handed down to them.
    static descriptor make_file(int ranks) {
        descriptor file{memfd_create("tutti bench", MFD_CLOEXEC)};
        if (!file.open() || ftruncate(file.get(), static_cast<off_t>(detail::bytes_of(ranks))) != 0)
            throw std::system_error(errno, std::generic_category(), "cannot make shared memory");
        return file;
    }
    /// The room in such a file.
    static std::shared_ptr<shared_room> open(int ranks, int file) {
        return std::shared_ptr<shared_room>{new shared_room{ranks, detail::map(ranks, file)}};
    }

    shared_room(const shared_room&) = delete;
    ~shared_room() { munmap(memory_, detail::bytes_of(ranks_)); }

    /// Says that a rank has failed: every barrier under way or still to come throws. The first rank named is kept.
    void lose(int rank) noexcept { note(head().lost, rank); }
    /// Likewise, of one that holds up the others and may never say so itself.
    void blame(int rank) noexcept { note(head().blamed, rank); }
    /// Whether each rank has come at least once.
    [[nodiscard]] bool all_have_met() const noexcept {
        for (int rank = 0; rank < ranks_; ++rank)
            if (arrival_of(rank).load(std::memory_order_relaxed) == 0) return false;
        return true;
    }

    [[nodiscard]] int ranks() const noexcept { return ranks_; }
    [[nodiscard]] detail::room_head& head() const noexcept { return *static_cast<detail::room_head*>(memory_); }
    /// When a rank last came: the generation that it waits for, plus 1.
    [[nodiscard]] std::atomic<std::uint32_t>& arrival_of(int rank) const noexcept {
        return *reinterpret_cast<std::atomic<std::uint32_t>*>(part_of(rank));
    }
    /// `window` values.
    [[nodiscard]] double* shown_by(int rank) const noexcept {
        return reinterpret_cast<double*>(part_of(rank) + detail::values_at);
    }
    /// A rank says what it may use of its host, before it first comes.
    void show(int rank, const transport::bootstrap::allotment& a) const noexcept {
        detail::shown_allotment& at = allotment_at(rank);
        at.processors.fill(0);
        std::ranges::copy(a.processors.words(), at.processors.begin());
        at.quota = a.quota;
    }
    /// What each rank has said, when all have come.
    [[nodiscard]] std::vector<transport::bootstrap::allotment> allotments() const {
        std::vector<transport::bootstrap::allotment> all;
        for (int rank = 0; rank < ranks_; ++rank) {
            const detail::shown_allotment& at = allotment_at(rank);
            all.push_back({transport::bootstrap::processor_set(at.processors), at.quota});
        }
        return all;
    }

    static constexpr std::size_t window = detail::window; ///< values that a rank can show at a time

private:
    // Any rank writes and all read; relaxed: the number is all there is to know.
    void note(std::atomic<std::int32_t>& first, int rank) noexcept {
        std::int32_t nobody = 0;
        first.compare_exchange_strong(nobody, rank + 1, std::memory_order_relaxed);
        detail::wake_all(head().generation);
    }

    shared_room(int ranks, void* memory) : ranks_(ranks), memory_(memory) {}
    [[nodiscard]] std::byte* part_of(int rank) const noexcept {
        return static_cast<std::byte*>(memory_) + detail::head_bytes +
               static_cast<std::size_t>(rank) * detail::part_bytes;
    }
    [[nodiscard]] detail::shown_allotment& allotment_at(int rank) const noexcept {
        return *reinterpret_cast<detail::shown_allotment*>(part_of(rank) + detail::allotment_at);
    }

    int ranks_;
    void* memory_;
};

} // namespace tutti::tools

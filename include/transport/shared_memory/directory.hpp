// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../transport.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tutti::transport::detail::shm {

/// Where the lanes of one sender lead. The sender adds entries, each receiver looks for its own.
///
/// An entry is published by `reader` (release) and found by it (acquire); its other fields then stay as they are until
/// both sides have closed it (each by its bit, release). The sender alone uses it again (acquire): it takes the reader
/// away first, then writes the fields, then takes the bits away (release), then names the new reader. A receiver looks
/// at the bits first (acquire) and at the reader second: an entry that it had closed and finds open leads elsewhere by
/// then, or anew to it. It reads the fields only of entries that lead to it and that it has not closed: no sender
/// writes those.
class directory {
public:
    static constexpr std::uint32_t most_lanes = 16 * 1024;

    struct entry {
        static constexpr std::uint32_t by_sender = 1, by_receiver = 2;
        std::atomic<std::int32_t> reader{-1};
        std::uint32_t slot = 0;
        std::uint64_t communicator = 0;
        std::uint64_t serial = 0;             ///< of all lanes that this sender ever had
        std::atomic<std::uint32_t> closed{0}; ///< by whom
        /// The receiver can read the sender's memory. Set once by the receiver before it sleeps or reads, looked at by
        /// the sender; it guards nothing.
        std::atomic<std::uint32_t> may_lend{0};
    };

    /// How often entries were added: as long as it has not changed, there is no need to look again.
    [[nodiscard]] std::uint32_t additions() const noexcept { return additions_.load(std::memory_order_acquire); }

    [[nodiscard]] entry& at(std::size_t index) noexcept { return entries_[index]; }

    /// The sender: an entry that is free, if any.
    [[nodiscard]] std::optional<std::uint32_t> free_entry() const noexcept {
        constexpr std::uint32_t both = entry::by_sender | entry::by_receiver;
        const std::uint32_t used = used_.load(std::memory_order_relaxed); // written by this rank alone
        for (std::uint32_t i = 0; i < used; ++i)
            if (entries_[i].closed.load(std::memory_order_acquire) == both) return i;
        return used < most_lanes ? std::optional(used) : std::nullopt;
    }

    /// The sender: makes a free entry lead to that reader. Its lane is ready.
    void add(std::uint32_t index, context k, int reader) noexcept {
        entry& e = entries_[index];
        e.reader.store(-1, std::memory_order_relaxed);
        e.slot = k.slot;
        e.communicator = k.communicator;
        e.serial = ++serial_;
        e.closed.store(0, std::memory_order_release);
        e.may_lend.store(0, std::memory_order_relaxed);
        e.reader.store(reader, std::memory_order_release);
        if (index >= used_.load(std::memory_order_relaxed)) used_.store(index + 1, std::memory_order_release);
        additions_.fetch_add(1, std::memory_order_release);
    }

    /// The receiver: the oldest entry of that context that leads to it and that it has not closed, if any.
    [[nodiscard]] std::optional<std::uint32_t> find(context k, int reader) const noexcept {
        std::optional<std::uint32_t> oldest;
        // Another rank has written it: it is not trusted further than the table reaches.
        const std::uint32_t used = std::min(used_.load(std::memory_order_acquire), most_lanes);
        for (std::uint32_t i = 0; i < used; ++i) {
            const entry& e = entries_[i];
            // In this order: who sees that an entry which it had closed is open again sees that it leads elsewhere now.
            if ((e.closed.load(std::memory_order_acquire) & entry::by_receiver) != 0) continue;
            if (e.reader.load(std::memory_order_acquire) != reader) continue;
            if (e.communicator != k.communicator || e.slot != k.slot) continue;
            if (!oldest || e.serial < entries_[*oldest].serial) oldest = i;
        }
        return oldest;
    }

private:
    std::atomic<std::uint32_t> used_{0};      // entries that have ever been added: the first ones
    std::atomic<std::uint32_t> additions_{0}; // see above
    std::uint64_t serial_ = 0;                // of the sender
    std::array<entry, most_lanes> entries_;
};

} // namespace tutti::transport::detail::shm

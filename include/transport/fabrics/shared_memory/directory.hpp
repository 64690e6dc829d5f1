// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::shm {

/// Where the lanes of one sender lead. The sender adds entries, each receiver looks for its own. There is no bound on
/// their number but the sender's memory.
///
/// Entries are numbered in the order in which they were made. Each leads to the same reader with the same lane for
/// ever, and stands in a chain with all entries whose readers share a bucket, the latest first. Reader, lane and link
/// are written before the chain leads to the entry (release, read with acquire) and never again.
///
/// The other fields are written by the sender: when it makes the entry, and when it uses it again. It does so only once
/// both sides have closed it, each by its bit. It takes the bits away last (release). A receiver looks at the bits
/// first (acquire) and reads the fields only of entries that it has not closed: no sender writes those.
class directory {
public:
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0}; ///< ends a chain

    struct alignas(64) entry {
        static constexpr std::uint32_t by_sender = 1, by_receiver = 2, by_both = by_sender | by_receiver;
        std::int32_t reader;
        std::uint32_t lane;
        std::uint32_t next; ///< in the chain: an entry that was made before
        std::uint32_t slot;
        std::uint64_t communicator;
        std::uint64_t serial;              ///< of all lanes that this sender ever had
        std::atomic<std::uint32_t> closed; ///< the sides that have closed it
        /// The receiver can read the sender's memory. Set once by the receiver before it sleeps or reads, looked at by
        /// the sender; it guards nothing.
        std::atomic<std::uint32_t> may_lend;
    };

    /// How often an entry was added for that reader, or one that shares its bucket: as long as it has not changed,
    /// there is no need to look again.
    [[nodiscard]] std::uint32_t additions(int reader) const noexcept {
        return of(reader).additions.load(std::memory_order_acquire);
    }
    /// The latest entry of the reader's chain, or nowhere.
    [[nodiscard]] std::uint32_t first(int reader) const noexcept {
        return of(reader).first.load(std::memory_order_acquire);
    }

    /// The sender: makes the entry lead to that reader, with a lane whose slots are free.
    void publish(entry& e, std::uint32_t number, int reader, std::uint32_t lane) noexcept {
        bucket& b = of(reader);
        e.reader = reader;
        e.lane = lane;
        e.next = b.first.load(std::memory_order_relaxed); // written by this rank alone
        b.first.store(number, std::memory_order_release);
    }
    /// The sender, after it has written the fields: the entry is open for both.
    void open(entry& e) noexcept {
        e.closed.store(0, std::memory_order_release);
        of(e.reader).additions.fetch_add(1, std::memory_order_release);
    }

    /// The receiver has closed the entry. By the count (release; acquire) the sender knows when to look.
    void close(entry& e) noexcept {
        e.closed.fetch_or(entry::by_receiver, std::memory_order_release);
        closings_.fetch_add(1, std::memory_order_release);
    }
    [[nodiscard]] std::uint32_t closings() const noexcept { return closings_.load(std::memory_order_acquire); }

private:
    struct bucket {
        std::atomic<std::uint32_t> first{nowhere};
        std::atomic<std::uint32_t> additions{0};
    };
    static constexpr std::size_t buckets = 1024;

    [[nodiscard]] bucket& of(int reader) noexcept { return by_reader_[static_cast<unsigned>(reader) % buckets]; }
    [[nodiscard]] const bucket& of(int reader) const noexcept {
        return by_reader_[static_cast<unsigned>(reader) % buckets];
    }

    alignas(64) std::atomic<std::uint32_t> closings_{0};
    alignas(64) std::array<bucket, buckets> by_reader_;
};

} // namespace tutti::transport::detail::shm

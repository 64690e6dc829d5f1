// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transport.hpp"
#include "../../sockets/mapping.hpp"
#include "../../sockets/socket.hpp"
#include "../../world/doorbell.hpp"
#include "copy_costs.hpp"
#include "directory.hpp"
#include "lane.hpp"
#include "regions.hpp"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::transport::detail::shm {

/// How a segment begins. Everything that is not atomic is written before the others get to know of the segment.
struct head {
    /// "tutti", a version, and how many parts of a KiB a room holds.
    static constexpr std::uint64_t this_layout = 0x7475'7474'6900'0008 + (sizeof(room) >> 10 << 16);

    std::uint64_t layout = this_layout;
    std::uint64_t key = 0;            ///< drawn by the owner: this is the segment that was meant
    std::uint64_t private_key_at = 0; ///< where the owner keeps the key in memory of its own, for probing
    /// Under which descriptor the owner has its bell_pipe, and which file that is; -1: it has none. Stored before the
    /// owner first sleeps by it: first the file, then the descriptor (release), in which order peers read them
    /// (acquire).
    std::atomic<std::int32_t> bell_pipe{-1};
    std::atomic<std::uint64_t> bell_file{0};
    alignas(64) doorbell bell;
    /// The number of peers that have mapped this; each adds one (release), the owner waits for all of them before it
    /// goes (acquire).
    alignas(64) std::atomic<std::uint32_t> attached{0};
    std::atomic<std::uint32_t> left{0}; ///< set by the owner (release) after all that it did, read by peers (acquire)
    /// By whom the owner's calls fail, culprit::word(). Set by the owner (release) before it leaves, read by peers
    /// (acquire) that find it gone.
    std::atomic<std::uint64_t> blames{0};
    std::atomic<std::uint32_t> alarm{
        0}; ///< raised by a peer that has sent the coordinator an urgent notice; only a hint
    alignas(64) copy_costs::as_receiver costs{}; ///< of copies that the owner makes as a receiver
    alignas(64) directory lanes;
    regions symmetric;
};

/// The memory that one rank shares with all others of its host: a head, and blocks of lanes, of their entries in the
/// directory and of rooms, which are mapped when first needed. It has no name and is gone with the last process that
/// has it open. The kernel gives it pages as they are touched, whatever the size of /dev/shm.
///
/// A thing is known by its number: those of a block follow each other, and its first is the block's number times those
/// that a block holds.
class segment {
public:
    static constexpr std::size_t block_bytes = std::size_t{4} << 20;
    static constexpr std::uint32_t most_blocks = 65'535; ///< 256 GiB: things are numbered in 32 bits
    template <class Thing>
    static constexpr std::uint32_t per_block = block_bytes / sizeof(Thing);

    /// The file is open for reading and writing, and has a head. Throws std::system_error.
    explicit segment(bootstrap::descriptor file) : file_(std::move(file)), head_(file_.get(), 0, head_bytes) {}

    [[nodiscard]] int file() const noexcept { return file_.get(); }
    [[nodiscard]] void* start() const noexcept { return head_.get(); }
    [[nodiscard]] head& top() const noexcept { return *static_cast<head*>(head_.get()); }

    /// Throws std::system_error, also where the file does not reach so far: to touch the thing would raise SIGBUS.
    template <class Thing>
    [[nodiscard]] Thing& at(std::uint32_t number) {
        static_assert(block_bytes % sizeof(Thing) == 0);
        return static_cast<Thing*>(block(number / per_block<Thing>))[number % per_block<Thing>];
    }
    /// Makes zeros of these things, which take no memory then. Sorts them by `number_of`. False: some may be as before.
    template <class Thing, class Item, class Number>
    bool clear(std::span<Item> things, Number number_of) noexcept {
        bool all = true;
        std::sort(things.begin(), things.end(),
                  [&](const Item& a, const Item& b) { return number_of(a) < number_of(b); });
        for (std::size_t i = 0, end = 0; i < things.size(); i = end) { // neighbours in a block together
            const std::uint32_t first = number_of(things[i]), block = first / per_block<Thing>;
            for (end = i + 1; end < things.size() && number_of(things[end]) == first + (end - i);) {
                if (number_of(things[end]) / per_block<Thing> != block) break;
                ++end;
            }
            all = clear<Thing>(first, end - i) && all;
        }
        return all;
    }

    /// Bytes of a file that holds so many blocks.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t blocks) noexcept {
        return head_bytes + blocks * block_bytes;
    }

private:
    static constexpr std::size_t head_bytes = whole_pages(sizeof(head));

    template <class Thing>
    bool clear(std::uint32_t first, std::size_t count) noexcept {
        const std::size_t offset = bytes_for(first / per_block<Thing>) + first % per_block<Thing> * sizeof(Thing);
        return ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                           static_cast<off_t>(count * sizeof(Thing))) == 0;
    }

    [[nodiscard]] void* block(std::size_t number) {
        if (number < blocks_.size() && blocks_[number].get()) return blocks_[number].get();
        return mapped(number);
    }
    [[gnu::noinline]] void* mapped(std::size_t number) {
        const std::size_t end = bytes_for(number + 1);
        if (::lseek(file_.get(), 0, SEEK_END) < static_cast<off_t>(end))
            throw std::system_error(ENXIO, std::generic_category(), "the segment ends before its block");
        if (blocks_.size() <= number) blocks_.resize(number + 1);
        blocks_[number] = mapping{file_.get(), end - block_bytes, block_bytes};
        return blocks_[number].get();
    }

    bootstrap::descriptor file_;
    mapping head_;
    std::vector<mapping> blocks_;
};

/// The receiver: the oldest entry of that context that leads to it and that it has not closed; null if there is none.
/// Throws std::system_error. Another rank has written all this: of a chain whose numbers do not fall the rest is not
/// looked at.
[[nodiscard]] inline directory::entry* entry_of(segment& from, context k, int reader) {
    directory::entry* oldest = nullptr;
    std::uint32_t before = directory::nowhere;
    for (std::uint32_t i = from.top().lanes.first(reader); i < before;) {
        auto& e = from.at<directory::entry>(i);
        before = i;
        i = e.next;
        if (e.reader != reader) continue;
        if ((e.closed.load(std::memory_order_acquire) & directory::entry::by_receiver) != 0) continue;
        if (e.communicator != k.communicator || e.slot != k.slot) continue;
        if (!oldest || e.serial < oldest->serial) oldest = &e;
    }
    return oldest;
}

} // namespace tutti::transport::detail::shm

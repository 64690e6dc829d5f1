// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "rooms.hpp"
#include "segment.hpp"

#include <sys/random.h>

#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::shm {

/// The segment of this rank. Throws std::system_error where the system gives no more memory or descriptors. How many
/// lanes it has is bounded by that alone. Where the system gives no memory that can be shared, this is memory of the
/// rank's own, and no peer is reached by it.
///
/// Lanes that both sides have closed are used again, for the same reader. Their memory goes back to the system once
/// they are many.
class own_segment {
public:
    static constexpr std::size_t kept_lanes = 64; ///< closed ones that may keep their memory

    static constexpr std::size_t least_file_bytes = std::size_t{32} << 20; ///< that this process must be allowed

    own_segment() : memory_(created(why_not_)) {
        auto* const top = new (memory_.start()) head;
        top->key = *private_key_;
        top->private_key_at = reinterpret_cast<std::uintptr_t>(private_key_.get());
    }

    [[nodiscard]] int file() const noexcept { return memory_.file(); }
    /// Why it cannot be shared; empty where it can.
    [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }
    [[nodiscard]] std::uint64_t key() const noexcept { return *private_key_; }
    [[nodiscard]] head& top() const noexcept { return memory_.top(); }
    [[nodiscard]] segment& memory() noexcept { return memory_; }

    /// The host is crowded: ranks share cores, and the caches of these.
    void note_crowd() noexcept { rooms_.keep_in_slots(); }

    /// A lane that leads from this rank.
    struct way {
        way(segment& in, room_pool& pool, int to, std::uint32_t entry, std::uint32_t lane_number)
            : data(&in.at<lane>(lane_number)), where(&in.at<directory::entry>(entry)), number(lane_number), reader(to),
              rooms(pool, *data) {}

        lane* data;
        directory::entry* where;
        std::uint32_t number;
        int reader;
        bool is_clean = true; ///< all zeros
        outgoing_rooms rooms;
    };
    using handle = std::list<way>::iterator;

    /// A lane to that rank, published. Throws std::system_error.
    [[nodiscard]] handle add_lane(context k, int reader) {
        while (rooms_.size() < room_pool::needed(open_.size() + closing_.size() + 1)) rooms_.add(add_block());
        auto& spare = spare_[reader];
        if (spare.empty()) make_lane(reader, spare);
        const handle w = std::prev(spare.end()); // the one that was closed last
        open_.splice(open_.end(), spare, w);
        if (!std::exchange(w->is_clean, false)) {
            --used_spares_;
            new (w->data) lane; // its slots are free
        }
        w->where->slot = k.slot;
        w->where->communicator = k.communicator;
        w->where->serial = ++serial_;
        w->where->may_lend.store(0, std::memory_order_relaxed);
        top().lanes.open(*w->where);
        return w;
    }

    /// The sender has closed it. It is used again when the receiver has closed it too.
    void close(handle w) noexcept {
        using entry = directory::entry;
        const auto before = w->where->closed.fetch_or(entry::by_sender, std::memory_order_acq_rel);
        closing_.splice(closing_.end(), open_, w);
        if ((before & entry::by_receiver) != 0) recycle(w);
    }

    /// Looks which lanes receivers have closed, and gives memory back to the system. Where nothing was closed, two
    /// loads.
    void tidy() noexcept {
        const std::uint32_t closings = top().lanes.closings();
        if (closings == std::exchange(seen_closings_, closings)) return;
        for (auto w = closing_.begin(); w != closing_.end();) {
            const handle next = std::next(w);
            if (w->where->closed.load(std::memory_order_acquire) == directory::entry::by_both) recycle(w);
            w = next;
        }
        rooms_.trim();
        if (used_spares_ > kept_lanes) clear_spares();
    }

private:
    [[nodiscard]] static bootstrap::descriptor created(std::string& why_not) {
        try {
            if (tutti::detail::most_file_bytes() < least_file_bytes)
                throw std::system_error(EFBIG, std::generic_category(), tutti::detail::words_of_file_limit());
            auto file = nameless_file();
            resize(file.get(), segment::bytes_for(0));
            if (!open_file(::getpid(), file.get()))
                throw std::system_error(errno, std::generic_category(), "/proc/self/fd cannot be opened");
            return file;
        } catch (const std::system_error& e) {
            why_not = e.what();
            return {};
        }
    }

    [[nodiscard]] static std::unique_ptr<std::uint64_t> drawn() {
        auto key = std::make_unique<std::uint64_t>();
        if (::getrandom(key.get(), sizeof *key, 0) != sizeof *key)
            throw std::system_error(errno, std::generic_category(), "the system gives no random numbers");
        return key;
    }

    /// The numbers of things that were never used, in blocks of their own.
    struct supply {
        std::uint32_t next = 0, end = 0;
    };
    template <class Thing>
    [[nodiscard]] std::uint32_t next_of(supply& s) {
        if (s.next == s.end) {
            const std::uint32_t first = add_block() * segment::per_block<Thing>;
            s = {first, first + segment::per_block<Thing>};
        }
        return s.next;
    }
    [[nodiscard]] std::uint32_t add_block() {
        if (blocks_ == segment::most_blocks)
            throw std::system_error(ENOMEM, std::generic_category(), "the segment has all blocks that it can have");
        resize(memory_.file(), segment::bytes_for(blocks_ + 1));
        return blocks_++;
    }

    /// One more lane for that reader, closed by both.
    void make_lane(int reader, std::list<way>& spare) {
        const std::uint32_t entry = next_of<directory::entry>(entries_), number = next_of<lane>(lanes_);
        spare.emplace_back(memory_, rooms_, reader, entry, number);
        try {
            if (to_clear_.capacity() <= lanes_made_) to_clear_.reserve(2 * lanes_made_ + 1);
        } catch (...) {
            spare.pop_back();
            throw;
        }
        ++lanes_made_, ++entries_.next, ++lanes_.next;
        auto& where = *spare.back().where;
        where.closed.store(directory::entry::by_both, std::memory_order_relaxed);
        top().lanes.publish(where, entry, reader, number);
    }

    void recycle(handle w) noexcept {
        w->rooms.give_all_back();
        auto& spare = spare_.find(w->reader)->second;
        spare.splice(spare.end(), closing_, w);
        ++used_spares_;
    }

    void clear_spares() noexcept {
        to_clear_.clear();
        for (auto& [reader, spare] : spare_)
            for (way& w : spare)
                if (!w.is_clean) to_clear_.push_back(w.number);
        if (!memory_.clear<lane>(std::span(to_clear_), [](std::uint32_t n) { return n; })) return;
        for (auto& [reader, spare] : spare_)
            for (way& w : spare) w.is_clean = true;
        used_spares_ = 0;
    }

    std::string why_not_;
    std::unique_ptr<std::uint64_t> private_key_ = drawn(); // stays where it is
    segment memory_;
    std::uint32_t blocks_ = 0;
    supply entries_, lanes_;
    room_pool rooms_{memory_};
    std::list<way> open_;                 ///< by the sender
    std::list<way> closing_;              ///< which receivers may still read
    std::map<int, std::list<way>> spare_; ///< closed by both, by their reader
    std::size_t lanes_made_ = 0;          ///< in all three
    std::size_t used_spares_ = 0;         ///< spare ones that are not clean
    std::uint64_t serial_ = 0;            ///< of the lane that was opened last
    std::uint32_t seen_closings_ = 0;     ///< by receivers
    std::vector<std::uint32_t> to_clear_; ///< has room for all lanes
};

} // namespace tutti::transport::detail::shm

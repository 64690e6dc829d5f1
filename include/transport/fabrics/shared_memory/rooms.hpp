// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "segment.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::transport::detail::shm {

class outgoing_rooms;

/// A room that a slot may lend; none, if it is nowhere.
struct lent_room {
    std::uint32_t number = 0;
    std::byte* where = nullptr;
};

/// Free rooms in the order in which they came. Adding one cannot fail once there is place for all.
class room_queue {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// There is place for so many.
    void grow(std::size_t most) {
        std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
        first_ = 0;
        ring_.resize(most);
    }
    void push(const lent_room& r) noexcept { ring_[place(size_++)] = r; }
    [[nodiscard]] lent_room pop() noexcept {
        const lent_room r = ring_[first_];
        first_ = place(1);
        --size_;
        return r;
    }

private:
    [[nodiscard]] std::size_t place(std::size_t k) const noexcept {
        return first_ + k < ring_.size() ? first_ + k : first_ + k - ring_.size();
    }

    std::vector<lent_room> ring_;
    std::size_t first_ = 0, size_ = 0;
};

/// The rooms of one sender, which all of its lanes share. While there are plenty, some 32 others are used before a room
/// that has just become free. On some processors an exchange takes up to four times as long while both cores have the
/// rooms in their caches (bench/rotation.cpp). When free ones are few, all lanes give back now and then what was read.
/// When rooms are scarce, a lane uses its own again as soon as they were read. Used by the sender's thread alone; what
/// receivers know of a room is its number in a slot.
class room_pool {
public:
    static constexpr std::size_t plenty = 192;  ///< from so many taken on, each lane gets by with `least`
    static constexpr std::uint32_t least = 4;   ///< that a lane may always have
    static constexpr std::size_t rotation = 32; ///< that are to stay free: 1 MiB, as much as many a core's own cache

    explicit room_pool(segment& in) noexcept : in_(in) {}
    room_pool(const room_pool&) = delete;
    room_pool& operator=(const room_pool&) = delete;

    /// How many rooms so many lanes need at most.
    [[nodiscard]] static constexpr std::size_t needed(std::size_t lanes) noexcept { return plenty + least * lanes; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The rooms of a further block. Throws std::system_error.
    void add(std::uint32_t block) {
        constexpr std::uint32_t count = segment::per_block<room>;
        auto* const rooms = &in_.at<room>(block * count);
        resting_.grow(size_ + count);
        for (auto* list : {&warm_, &cold_}) list->reserve(size_ + count);
        holders_.reserve(size_ + count);
        cold_.insert(cold_.begin(), count, {});
        for (std::uint32_t i = 0; i < count; ++i) // the first is the next
            cold_[count - 1 - i] = {block * count + i, rooms[i].bytes.data()};
        size_ += count;
    }

    /// Ranks that share a core share its caches: then a slot keeps its room while there are plenty.
    void keep_in_slots() noexcept { rotates_ = false; }
    [[nodiscard]] bool rotates() const noexcept { return rotates_ && !scarce(); }
    /// Lanes have to get by with `least`.
    [[nodiscard]] bool scarce() const noexcept { return taken_ >= plenty; }

    /// Before each part. Where free rooms are few and there shall be no more of them, all lanes give back what was
    /// read, every so often.
    void note_want() noexcept {
        const bool cramped = rotates_ && resting_.size() < rotation && warm_.empty() && !may_grow();
        if ((cramped || scarce()) && ++wants_ >= plenty / 2) sweep();
    }
    /// Precondition: there are needed() of them, and who has `least` asks only while they are not scarce().
    [[nodiscard]] lent_room take() noexcept {
        ++taken_;
        return next();
    }
    void give_back(const lent_room& r) noexcept {
        warm_.push_back(r);
        --taken_;
    }
    /// Another room for one whose part was read.
    [[nodiscard]] lent_room exchange(const lent_room& r) noexcept {
        resting_.push(r);
        return next();
    }

    /// Gives the memory of free rooms back to the system, if they are many.
    void trim() noexcept {
        if (warm_.size() <= 2 * rotation) return;
        const auto end = warm_.end() - static_cast<std::ptrdiff_t>(rotation); // the others came back more lately
        in_.clear<room>(std::span(warm_.begin(), end), [](const lent_room& r) { return r.number; });
        cold_.insert(cold_.end(), warm_.begin(), end);
        warm_.erase(warm_.begin(), end);
    }

private:
    friend outgoing_rooms;
    inline void sweep() noexcept;

    [[nodiscard]] bool may_grow() const noexcept { return resting_.size() + warm_.size() + taken_ < plenty; }
    [[nodiscard]] lent_room next() noexcept {
        if (resting_.size() > rotation) return resting_.pop();
        if (!warm_.empty()) return last_of(warm_);
        return resting_.size() == 0 || (may_grow() && !cold_.empty()) ? last_of(cold_) : resting_.pop();
    }
    [[nodiscard]] static lent_room last_of(std::vector<lent_room>& list) noexcept {
        const lent_room r = list.back();
        list.pop_back();
        return r;
    }

    segment& in_;
    room_queue resting_;                   ///< free ones that were just used
    std::vector<lent_room> warm_, cold_;   ///< other free ones, the next at the end; those of `cold_` take no memory
    std::vector<outgoing_rooms*> holders_; ///< lanes that have rooms
    std::size_t size_ = 0, taken_ = 0;
    std::size_t wants_ = 0; ///< since the last sweep
    bool rotates_ = true;
};

/// The rooms that one lane has: those of parts that were not read yet, and of some that were.
class outgoing_rooms {
public:
    outgoing_rooms(room_pool& pool, lane& way) noexcept : pool_(pool), lane_(way) {}
    outgoing_rooms(const outgoing_rooms&) = delete;
    outgoing_rooms& operator=(const outgoing_rooms&) = delete;

    /// The slot of that turn, which is free, may be filled, whatever with.
    [[nodiscard]] bool may_fill(std::uint32_t turn) noexcept {
        if (!at_limit()) return true;
        reap(turn);
        return !at_limit();
    }
    /// The slot that has to become free first; null if may_fill() would say so.
    [[nodiscard]] slot* limit(std::uint32_t turn) noexcept {
        if (!at_limit()) return nullptr;
        find_oldest(turn);
        return &lane_.at(oldest_);
    }

    /// A room for the part of that turn, whose slot is free. While there are plenty, the pool's next. When they are
    /// scarce, the slot's own; if it has none, the lane's oldest, if its part was read; else the pool's next.
    [[nodiscard]] const lent_room& place(std::uint32_t turn) {
        pool_.note_want(); // first: it may take `here`
        lent_room& here = lent_[turn % lane::slot_count];
        end_ = turn + 1;
        if (here.where) {
            if (pool_.rotates()) here = pool_.exchange(here);
            find_oldest(end_);
            return here;
        }
        if (pool_.scarce() && oldest_was_read(turn))
            return here = std::exchange(lent_[oldest_++ % lane::slot_count], {});
        here = pool_.take();
        if (held_++ == 0) oldest_ = turn;
        if (!listed_) pool_.holders_.push_back(this);
        listed_ = true;
        return here;
    }

    /// Gives all back: the receiver reads no more.
    void give_all_back() noexcept {
        for (lent_room& r : lent_)
            if (r.where) give_back(r);
        if (std::exchange(listed_, false)) std::erase(pool_.holders_, this);
    }

private:
    friend room_pool;

    [[nodiscard]] bool at_limit() const noexcept { return held_ >= room_pool::least && pool_.scarce(); }

    /// Gives back the rooms of parts that were read. True if it has none left, and leaves the list of those that have.
    bool reap_and_leave() noexcept {
        if (!reap(end_)) return false;
        listed_ = false;
        return true;
    }

    /// Finds the oldest room, of which there is one. Slots are read in turn; one that was used again since without a
    /// room lends its own until that part was read.
    void find_oldest(std::uint32_t next) noexcept {
        if (next - oldest_ > lane::slot_count) oldest_ = next - lane::slot_count;
        while (!lent_[oldest_ % lane::slot_count].where) ++oldest_;
    }
    [[nodiscard]] bool oldest_was_read(std::uint32_t next) noexcept {
        if (held_ == 0) return false;
        find_oldest(next);
        return lane_.at(oldest_).flag.is_free();
    }
    /// True if none is left.
    bool reap(std::uint32_t next) noexcept {
        while (oldest_was_read(next)) give_back(lent_[oldest_ % lane::slot_count]);
        return held_ == 0;
    }
    void give_back(lent_room& r) noexcept {
        pool_.give_back(std::exchange(r, {}));
        --held_;
    }

    room_pool& pool_;
    lane& lane_;
    std::array<lent_room, lane::slot_count> lent_{}; ///< by slot
    std::uint32_t held_ = 0;                         ///< of them
    std::uint32_t oldest_ = 0;                       ///< turn of the first that has a room, if any
    std::uint32_t end_ = 0;                          ///< one past the turn of the last
    bool listed_ = false;                            ///< among the holders
};

/// Takes back from all lanes the rooms that were read.
inline void room_pool::sweep() noexcept {
    wants_ = 0;
    std::erase_if(holders_, [](outgoing_rooms* r) { return r->reap_and_leave(); });
}

} // namespace tutti::transport::detail::shm

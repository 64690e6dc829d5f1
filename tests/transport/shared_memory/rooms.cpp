// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/fabrics/shared_memory/own_segment.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <vector>

namespace tutti::test::rooms {

namespace {

using namespace tutti::transport::detail::shm;

/// A lane with what its sender and its receiver would do: parts go into slots in turn, and are read in turn.
class way {
public:
    way(own_segment& in, std::uint64_t number) : lane_(in.add_lane({number, 0}, 1)) {}

    [[nodiscard]] bool may_fill() { return slot_of(next_).flag.is_free() && lane_->rooms.may_fill(next_); }
    /// A part in a room, whose number is returned. Precondition: may_fill().
    std::uint32_t fill() {
        const auto room = lane_->rooms.place(next_).number;
        static_cast<void>(slot_of(next_++).flag.publish());
        unread_.push_back(room);
        return room;
    }
    /// A part that needs no room.
    void fill_small() {
        static_cast<void>(slot_of(next_++).flag.publish());
        unread_.push_back(none);
    }
    /// Reads the oldest parts.
    void read(std::size_t parts) {
        for (; parts > 0; --parts, ++read_) static_cast<void>(slot_of(read_).flag.release());
        unread_.erase(unread_.begin(), unread_.end() - static_cast<std::ptrdiff_t>(next_ - read_));
    }

    [[nodiscard]] std::size_t unread() const { return unread_.size(); }
    [[nodiscard]] const std::vector<std::uint32_t>& rooms_of_unread() const { return unread_; }
    [[nodiscard]] outgoing_rooms& rooms() { return lane_->rooms; }
    [[nodiscard]] slot& slot_of(std::uint32_t turn) { return lane_->data->at(turn); }
    [[nodiscard]] std::uint32_t next() const { return next_; }
    static constexpr std::uint32_t none = ~0U;

private:
    own_segment::handle lane_;
    std::uint32_t next_ = 0, read_ = 0;
    std::vector<std::uint32_t> unread_;
};

constexpr std::size_t busy_lanes = room_pool::plenty / lane::slot_count;

/// Fills a lane whose parts are read at once, many times: as many different rooms come one after the other as the
/// rotation has, and no more than `most` in all.
void check_rotation(way& w, std::size_t most) {
    std::vector<std::uint32_t> used;
    for (std::size_t k = 0; k < 10 * room_pool::rotation; ++k) {
        REQUIRE(w.may_fill());
        used.push_back(w.fill());
        w.read(1);
    }
    CHECK(std::set(used.begin(), used.end()).size() <= most);
    for (auto k = used.begin() + room_pool::rotation; k != used.end(); ++k)
        CHECK(std::find(k - room_pool::rotation, k, *k) == k);
}

} // namespace

TEST_CASE("while rooms are plenty, none is used again before as many others as the rotation has") {
    own_segment segment;
    way w(segment, 1);
    check_rotation(w, room_pool::rotation + lane::slot_count);
}

TEST_CASE("where ranks share cores, a slot keeps its room while there are plenty") {
    own_segment segment;
    segment.note_crowd();
    way w(segment, 1);
    std::vector<std::uint32_t> first;
    for (std::uint32_t k = 0; k < 4 * lane::slot_count; ++k) {
        REQUIRE(w.may_fill());
        const std::uint32_t number = w.fill();
        if (k < lane::slot_count) first.push_back(number);
        CHECK(number == first[k % lane::slot_count]);
        w.read(1);
    }
    CHECK(std::set(first.begin(), first.end()).size() == lane::slot_count);
}

TEST_CASE("a lane has its rotation though idle lanes have taken all that there are plenty of") {
    own_segment segment;
    std::deque<way> idle;
    for (std::uint64_t k = 0; k < 2 * busy_lanes; ++k) {
        auto& w = idle.emplace_back(segment, k);
        for (std::uint32_t i = 0; i < lane::slot_count && w.may_fill(); ++i) w.fill();
        w.read(w.unread());
    }
    way busy(segment, 2 * busy_lanes);
    for (std::size_t k = 0; k < room_pool::plenty; ++k) {
        REQUIRE(busy.may_fill());
        busy.fill();
        busy.read(1);
    }
    check_rotation(busy, room_pool::plenty + (2 * busy_lanes + 1) * room_pool::least);
}

TEST_CASE("when a channel closes, the rooms of others keep their memory") {
    own_segment segment;
    std::deque<way> live;
    for (std::uint64_t k = 0; k < 5; ++k) live.emplace_back(segment, k);
    std::set<std::uint32_t> used;
    for (int lap = 0; lap < 3; ++lap)
        for (way& w : live)
            for (std::uint32_t k = 0; k < lane::slot_count; ++k) {
                REQUIRE(w.may_fill());
                const std::uint32_t number = w.fill();
                segment.memory().at<room>(number).bytes.fill(std::byte{1});
                used.insert(number);
                w.read(1);
            }
    const own_segment::handle other = segment.add_lane({99, 0}, 1);
    segment.close(other);
    segment.top().lanes.close(*other->where);
    segment.tidy();
    for (const std::uint32_t number : used) CHECK(segment.memory().at<room>(number).bytes.back() == std::byte{1});
}

TEST_CASE("a rotation takes no more memory than plenty") {
    own_segment segment;
    std::deque<way> ways;
    for (std::uint64_t k = 0; k < busy_lanes; ++k) ways.emplace_back(segment, k);
    std::set<std::uint32_t> used;
    for (std::size_t lap = 0; lap < 4; ++lap)
        for (way& w : ways)
            for (std::uint32_t k = 0; k < lane::slot_count; ++k) {
                REQUIRE(w.may_fill());
                used.insert(w.fill());
                w.read(1);
            }
    CHECK(used.size() <= room_pool::plenty);
}

TEST_CASE("rooms that idle lanes keep come back to one that is busy") {
    own_segment segment;
    std::deque<way> idle;
    for (std::uint64_t k = 0; k < busy_lanes; ++k) {
        auto& w = idle.emplace_back(segment, k);
        for (std::uint32_t i = 0; i < lane::slot_count; ++i) w.fill();
        w.read(lane::slot_count);
    }
    way busy(segment, busy_lanes);
    std::set<std::uint32_t> used;
    for (std::size_t k = 0; k < room_pool::plenty; ++k) {
        REQUIRE(busy.may_fill());
        used.insert(busy.fill());
        busy.read(1);
    }
    CHECK(used.size() >= lane::slot_count); // it rotates again
}

TEST_CASE("when rooms are scarce, every lane still has four") {
    own_segment segment;
    std::deque<way> all;
    for (std::uint64_t k = 0; k < 3 * busy_lanes; ++k) all.emplace_back(segment, k);
    for (way& w : all) // nobody reads
        while (w.unread() < lane::slot_count && w.may_fill()) w.fill();
    for (way& w : all) CHECK(w.unread() >= room_pool::least);
    CHECK(all.back().unread() == room_pool::least);
}

TEST_CASE("the slot to wait for is the one of the oldest room, though small parts have gone since") {
    own_segment segment;
    std::deque<way> others;
    way w(segment, 1);
    for (std::uint32_t k = 0; k < lane::slot_count; ++k) w.fill(), w.read(1);
    for (std::uint32_t k = 0; k < lane::slot_count + 1; ++k) {
        if (k == lane::slot_count) w.read(1);
        w.fill_small();
    }
    for (std::uint64_t k = 2; k < 2 + busy_lanes; ++k) // scarce from here on
        for (auto& o = others.emplace_back(segment, k); o.unread() < lane::slot_count && o.may_fill();) o.fill();
    const slot* const limit = w.rooms().limit(w.next());
    CHECK((!limit || limit == &w.slot_of(w.next())));
}

TEST_CASE("at random, no room holds two parts that were not read, and every lane goes on") {
    own_segment segment;
    std::deque<way> all;
    for (std::uint64_t k = 0; k < 2 * busy_lanes; ++k) all.emplace_back(segment, k);
    std::mt19937 random(5);
    for (int round = 0; round < 20'000; ++round) {
        way& w = all[random() % all.size()];
        if (random() % 2 == 0)
            w.read(random() % (w.unread() + 1));
        else if (w.unread() < lane::slot_count && w.may_fill())
            random() % 4 == 0 ? w.fill_small() : static_cast<void>(w.fill());
        else if (w.unread() == 0)
            FAIL("a lane whose parts were all read may be filled");
        if (round % 100 != 0) continue;
        std::set<std::uint32_t> taken;
        for (const way& each : all)
            for (const auto room : each.rooms_of_unread()) REQUIRE((room == way::none || taken.insert(room).second));
    }
}

} // namespace tutti::test::rooms

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/shared_memory/inbox.hpp>

#include <transport/fabrics/shared_memory/own_segment.hpp>

#include "support/catch.hpp"

#include <cstring>
#include <memory>

using namespace tutti::transport::detail::shm;
using tutti::transport::context;
using tutti::transport::transfer;
using tutti::transport::transfer_queue;
using tutti::transport::transfer_status;

namespace {

/// A segment of this process, seen as a peer's; and an inbox for the one lane that leads from it.
struct lane_of_peer {
    own_segment segment;
    peer other{described(), card{segment.file(), segment.key()}, 0};
    own_segment::handle way = segment.add_lane({1, 0}, 0);
    std::vector<std::byte> landing;
    copy_costs costs{segment.top().costs};
    std::unique_ptr<inbox> in = std::make_unique<inbox>(context{1, 0}, 0, other, landing, costs);
    std::vector<std::byte> memory = std::vector<std::byte>(40'000);
    transfer x;
    transfer_queue done;

    [[nodiscard]] tutti::transport::bootstrap::member described() const {
        tutti::transport::bootstrap::member m;
        m.rank = 1;
        m.pid = ::getpid();
        return m;
    }
    void receive(std::size_t bytes) {
        x.to = memory.data();
        x.bytes = bytes;
        x.owner = &done;
        in->receive(x);
    }
    void write(std::uint32_t turn, std::size_t message, std::size_t part) {
        slot& s = way->data->at(turn);
        s.signature = s.lent = s.region = 0;
        s.message_bytes = message;
        s.part_bytes = static_cast<std::uint32_t>(part);
        std::byte* to = s.data.data();
        if (part > slot::small_bytes) {
            s.region = turn; // the first block that a segment has is one of rooms
            to = segment.memory().at<room>(turn).bytes.data();
        }
        std::memset(to, 1, std::min(part, room::most_bytes));
        static_cast<void>(s.flag.publish());
    }
    /// Whether anything was written from there on.
    [[nodiscard]] bool untouched_from(std::size_t first) const {
        return std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(first), memory.end(),
                           [](std::byte b) { return b == std::byte{0}; });
    }
};

} // namespace

TEST_CASE("parts that fill their message are delivered") {
    lane_of_peer l;
    l.receive(40'000);
    l.write(0, 40'000, room::most_bytes);
    l.write(1, 40'000, 40'000 - room::most_bytes);
    l.in->advance();
    CHECK(l.done.front() == &l.x);
    CHECK(l.in->broken().empty());
    CHECK(l.untouched_from(40'000));
}

TEST_CASE("a part that is longer than its slot or the rest of its message ends the channel, and is not delivered") {
    for (const auto& [message, first, second] :
         {std::array<std::size_t, 3>{40'000, room::most_bytes + 1, 0}, // the slot
          {100, 101, 0},                                               // the message
          {40'000, 30'000, 11'000},                                    // its rest
          {40'000, 0xffff'ffff, 0}}) {
        lane_of_peer l;
        l.receive(message);
        l.write(0, message, first);
        if (second > 0) l.write(1, message, second);
        l.in->advance();
        CHECK_FALSE(l.in->broken().empty());
        CHECK(l.done.empty());
        CHECK(l.untouched_from(message));
        l.in->advance();
        CHECK_FALSE(l.in->ready());
    }
}

TEST_CASE("so does one of a message that nobody wants") {
    lane_of_peer l;
    l.receive(8);
    l.write(0, 40'000, 30'000); // another length than the receive's
    l.write(1, 40'000, 11'000);
    l.in->advance();
    CHECK(l.x.status == transfer_status::mismatched);
    CHECK_FALSE(l.in->broken().empty());
}

TEST_CASE("a part whose room lies behind the end of the segment ends the channel, and is not delivered") {
    lane_of_peer l;
    l.receive(1000);
    slot& s = l.way->data->at(0);
    s.lent = s.signature = 0;
    s.region = 0xffff'ffff'ffff;
    s.message_bytes = s.part_bytes = 1000;
    static_cast<void>(s.flag.publish());
    l.in->advance();
    CHECK(l.in->broken().find("cannot reach its memory") != std::string::npos);
    CHECK(l.done.empty());
    CHECK(l.untouched_from(0));
}

TEST_CASE("of entries whose chain leads in a circle none is looked at twice") {
    lane_of_peer l;
    auto& later = *l.segment.add_lane({2, 0}, 0)->where;
    CHECK(entry_of(l.other.memory(), {2, 0}, 0) != nullptr);
    l.way->where->next = l.segment.top().lanes.first(0); // the first leads to the second
    CHECK(entry_of(l.other.memory(), {1, 0}, 0) != nullptr);
    CHECK(entry_of(l.other.memory(), {3, 0}, 0) == nullptr);
    later.next = directory::nowhere - 1;
    CHECK(entry_of(l.other.memory(), {1, 0}, 0) == nullptr);
}

TEST_CASE("an entry or a lane behind the end of the segment ends the channel") {
    lane_of_peer l;
    auto& entry = *l.segment.add_lane({3, 0}, 0)->where;
    entry.lane = 0xffff'ffff;
    CHECK_FALSE(inbox({3, 0}, 0, l.other, l.landing, l.costs).broken().empty());
    entry.lane = 0;
    CHECK(inbox({3, 0}, 0, l.other, l.landing, l.costs).broken().empty());
    l.segment.top().lanes.publish(entry, directory::nowhere - 1, 0, 0);
    CHECK_FALSE(inbox({3, 0}, 0, l.other, l.landing, l.costs).broken().empty());
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/shared_memory/copy_costs.hpp>

#include "support/catch.hpp"

#include <array>

using tutti::transport::detail::shm::copy_costs;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t message = std::size_t{1} << 20, part = 32 * 1024;

/// A sender and a receiver, and what a copy of a part takes them.
struct two_ranks {
    copy_costs::as_receiver of_sender{}, of_receiver{};
    copy_costs sender{of_sender}, receiver{of_receiver};
    copy_costs::history sent{}, received{};
    std::chrono::nanoseconds into, out, kernel;

    /// How many of so many messages the kernel copies.
    int by_kernel(int of, std::size_t bytes = message) {
        int sum = 0;
        for (int k = 0; k < of; ++k) {
            const bool way = sender.by_kernel(bytes, sent, of_receiver);
            receiver.begin_message(bytes, way, received);
            sum += way;
            if (way) {
                receiver.note_kernel(bytes, part, kernel, received);
                receiver.note_kernel(bytes, 8, 1ms, received); // a short rest says nothing
            } else {
                sender.note_into(bytes, part, into, sent);
                receiver.note_out(bytes, part, out, received);
            }
        }
        return sum;
    }
    void send_then_receive(bool is_there) {
        sender.begin_send(), sender.end_sends(1);
        sender.begin_receive(is_there), sender.end_receives(1);
    }
};

} // namespace

TEST_CASE("long messages go the way that took less, after both were tried") {
    const bool is_kernel = GENERATE(false, true);
    two_ranks ranks{.into = 2us, .out = 3us, .kernel = is_kernel ? 2us : 4us};
    CHECK(ranks.by_kernel(4) == 0);
    CHECK(ranks.by_kernel(4) == 4);
    CHECK(ranks.by_kernel(248) == (is_kernel ? 248 : 0));
    CHECK(ranks.by_kernel(8) == 4); // the other way is tried again
    ranks.kernel = is_kernel ? 9us : 1us;
    ranks.by_kernel(6'000); // which it learns by and by
    CHECK(ranks.by_kernel(2'560) == (is_kernel ? 40 : 2'520));
    CHECK(ranks.by_kernel(4, 2 * message) == 0); // of another class nothing is known
}

TEST_CASE("where a rank sends and receives at once, both copies by way of a room are its own to make") {
    two_ranks ranks{.into = 2us, .out = 3us, .kernel = 4us};
    ranks.by_kernel(8);
    CHECK(ranks.by_kernel(100) == 0);
    ranks.sender.begin_send(), ranks.sender.begin_receive(false);
    CHECK(ranks.by_kernel(10) == 10);
    ranks.sender.end_sends(1), ranks.sender.end_receives(1);
    CHECK(ranks.by_kernel(10) == 10); // as the last time
    ranks.send_then_receive(false);
    CHECK(ranks.by_kernel(10) == 0);
    ranks.send_then_receive(true); // the peer has copied while this rank has
    CHECK(ranks.by_kernel(10) == 10);
    for (int k = 0; k < 20; ++k) ranks.sender.begin_send(), ranks.sender.end_sends(1);
    CHECK(ranks.by_kernel(10) == 0);
    ranks.sender.note_crowd();
    CHECK(ranks.by_kernel(10) == 10);
}

TEST_CASE("a copy that was held up does not change the way at once") {
    two_ranks ranks{.into = 2us, .out = 2us, .kernel = 1us};
    ranks.by_kernel(20);
    ranks.receiver.note_kernel(message, part, 3us, ranks.received);
    CHECK(ranks.by_kernel(10) == 10);
    ranks.receiver.note_kernel(message, part, 10s, ranks.received); // as much as a number can be
    CHECK(ranks.by_kernel(10) == 10);
}

TEST_CASE("a sender learns of each of its receivers, and a way that stayed unknown is tried again") {
    std::array<two_ranks, 3> children{};
    copy_costs::as_receiver of_root{};
    copy_costs root{of_root};
    int last = 0;
    for (int k = 0; k < 200; ++k)
        for (two_ranks& child : children) { // as a root sends to them
            const bool way = root.by_kernel(message, child.sent, child.of_receiver);
            child.receiver.begin_message(message, way, child.received);
            last = way ? last + 1 : 0;
            if (way) {
                if (k > 50) child.receiver.note_kernel(message, part, 1us, child.received); // before, none was timed
            } else {
                root.note_into(message, part, 2us, child.sent);
                child.receiver.note_out(message, part, 2us, child.received);
            }
        }
    CHECK(last > 100);
}

TEST_CASE("of the parts of long messages some are timed, whatever their turns") {
    two_ranks ranks{};
    int timed = 0;
    for (int k = 0; k < 40; ++k) {
        for (int full = 0; full < 3; ++full) timed += ranks.sender.is_timed(100 * 1024, part);
        CHECK_FALSE(ranks.sender.is_timed(100 * 1024, 4096));
    }
    CHECK(timed == 30);
    CHECK_FALSE(ranks.sender.is_timed(64 * 1024, part));
}

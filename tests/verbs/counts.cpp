// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "counted_device.hpp"
#include "ranks.hpp"

#include "transport/contract/courier.hpp"

#include <barrier>

using namespace tutti;
using namespace tutti::test;

extern "C" ibv_context* ibv_open_device(ibv_device* which) { return counted_open(which); }

namespace {

constexpr transport::context k{1, 0};

/// Two ranks that are connected; all that `work` asks of their devices is counted.
template <class Work>
void count(const transport::verbs_limits& limits, const Work& work) {
    std::barrier both(2);
    run_verbs(2, limits, [&](transport::verbs& t) {
        courier c{t};
        std::array<std::byte, 8> word{};
        for (int i = 0; i < 3; ++i) {
            c.send(k, 1 - t.rank(), word.data(), word.size());
            c.receive(k, 1 - t.rank(), word.data(), word.size());
            c.finish("they are connected");
        }
        c.linger(std::chrono::milliseconds{50});
        both.arrive_and_wait();
        if (t.rank() == 0) device::count_anew();
        both.arrive_and_wait();
        work(t, c);
        c.linger(std::chrono::milliseconds{50});
        both.arrive_and_wait();
        device::counting = false; // before they leave
        both.arrive_and_wait();
    });
}

} // namespace

TEST_CASE(
    "a short message is one inline request and one completion; few requests are signalled, and credits ride along") {
    constexpr std::uint64_t rounds = 1000, messages = 2 * rounds;
    count({}, [](transport::verbs& t, auto& c) {
        std::array<std::byte, 8> out{}, in{};
        for (std::uint64_t i = 0; i < rounds; ++i) {
            c.send(k, 1 - t.rank(), out.data(), out.size());
            c.receive(k, 1 - t.rank(), in.data(), in.size());
            c.finish("a round ends");
        }
    });
    const std::uint64_t beside = messages / 20; // a multiplexer's credits
    CAPTURE(device::sends, device::inlined, device::signalled, device::refills, device::refilled, device::completions);
    CHECK(device::sends >= messages);
    CHECK(device::sends <= messages + beside);
    CHECK(device::doorbells == device::sends);
    CHECK(device::inlined == device::sends); // nothing is copied into a cell
    CHECK(device::signalled <= messages / 10);
    CHECK(device::refilled + 14 >= device::sends); // the last few of each rank are not given back yet
    CHECK(device::refills <= messages / 7);
    CHECK(device::completions == device::sends + device::signalled);
    CHECK(device::reads == 0);
}

TEST_CASE("who only receives short messages sends one packet for several") {
    constexpr std::uint64_t messages = 4000;
    count({}, [](transport::verbs& t, auto& c) {
        std::array<std::byte, 8> word{};
        for (std::uint64_t i = 0; i < messages; ++i)
            t.rank() == 0 ? c.send(k, 1, word.data(), word.size()) : c.receive(k, 0, word.data(), word.size());
        c.finish("all came");
    });
    CAPTURE(device::sends, device::completions);
    CHECK(device::sends <= messages + messages / 8 + messages / 16); // half of 16 slots each, and credits of channels
    CHECK(device::inlined == device::sends);
}

TEST_CASE("a message between what goes inline and a slot is copied once at each end") {
    constexpr std::uint64_t messages = 100;
    count({}, [](transport::verbs& t, auto& c) {
        bytes data(4000);
        for (std::uint64_t i = 0; i < messages; ++i) {
            t.rank() == 0 ? c.send(k, 1, data) : c.receive(k, 0, data);
            c.finish("it came");
        }
    });
    CHECK(device::sends - device::inlined == messages); // from a cell
    CHECK(device::reads == 0);
}

TEST_CASE("a long message is an announcement, its reads and an answer, and no byte of it is copied") {
    constexpr std::uint64_t messages = 20, pieces = 4;
    count({}, [](transport::verbs& t, auto& c) {
        bytes data(pieces * transport::verbs_limits{}.piece_bytes);
        for (std::uint64_t i = 0; i < messages; ++i) {
            t.rank() == 0 ? c.send(k, 1, data) : c.receive(k, 0, data);
            c.finish("it came");
        }
    });
    CAPTURE(device::sends, device::reads, device::signalled, device::completions);
    CHECK(device::reads == messages * pieces);
    CHECK(device::sends >= 2 * messages);
    CHECK(device::sends <= 2 * messages + messages / 4);
    CHECK(device::inlined == device::sends);
    CHECK(device::signalled <= device::reads + messages / 4);
    CHECK(device::completions == device::sends + device::signalled);
}

TEST_CASE("a reader that takes its time never sees more packets than it has slots for") {
    auto limits = transport::verbs_limits{};
    limits.slot_count = 4;
    count(limits, [](transport::verbs& t, auto& c) {
        bytes data(64 * 1024);
        for (std::size_t i = 0; i < 64; ++i) {
            if (t.rank() == 0)
                c.send(k, 1, data.data() + 1024 * i, 1024);
            else
                c.receive(k, 0, data.data() + 1024 * i, 1024);
        }
        if (t.rank() == 0) return c.finish("all were taken");
        while (c.completed() < 64) { // one look, then a pause
            static_cast<void>(t.progress());
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    });
    CHECK(device::sends <= 64 + 64 / 2 + 8); // one packet of credits for two of the four slots
}

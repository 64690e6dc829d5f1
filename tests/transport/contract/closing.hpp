// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

namespace tutti::test {

/// After close() a pending receive is forgotten: its memory is gone, what comes late is thrown away, and nothing
/// completes. Another context under way between the same ranks is not disturbed.
template <contract_fixture Fixture>
void closing_forgets_receives() {
    milestone closed;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        const bytes other_out(5'000'000, std::byte{1});
        bytes other_in(other_out.size());
        const bytes late_small(100);
        const bytes late_large(1'000'000);
        if (t.rank() == 0) {
            bytes gone(1'000'000);
            courier cancelled{t};
            cancelled.receive({1, 0}, peer, gone.data(), 100);
            cancelled.receive({1, 0}, peer, gone);
            c.send({1, 1}, peer, other_out);
            c.receive({1, 1}, peer, other_in);
            t.close({1, 0});
            expect(cancelled.completed() == 0, "nothing of a closed context completes");
            closed.reach();
        } else {
            c.send({1, 1}, peer, other_out);
            c.receive({1, 1}, peer, other_in);
            c.meet(closed, 1, "the peer closes");
        }
        c.finish("the other context is not disturbed");
        expect(other_in == other_out, "the other context's message is intact");
        if (t.rank() == 1) {
            c.send({1, 0}, peer, late_small);
            c.send({1, 0}, peer, late_large);
            c.linger(std::chrono::milliseconds{20});
        }
        const auto& there = c.send({2, 0}, peer, late_small);
        const auto& back = c.receive({2, 0}, peer, other_in.data(), late_small.size());
        c.finish(there, "a new context takes a message after a close");
        c.finish(back, "a new context brings a message after a close");
        t.close({1, 0});
        t.close({2, 0});
        t.close({3, 5'000'000}); // a context that no rank has opened
    });
}

/// A sender closes while its large message is being received: its memory is not read any more when close() returns.
/// The receive stays pending, or it is complete and intact.
template <contract_fixture Fixture>
void closing_takes_memory_back() {
    constexpr std::size_t size = 3'000'000;
    constexpr std::uint32_t times = 20;
    std::array<milestone, times> offered;
    std::array<milestone, times> taken_back;
    Fixture{}.run(2, [&](auto& t) {
        const auto good = pattern(size, 9);
        for (std::uint32_t i = 0; i < times; ++i) {
            courier c{t};
            bytes in(t.rank() == 1 ? size : 0);
            if (t.rank() == 0) {
                auto gone = std::make_unique<bytes>(good);
                c.send({1, i}, 1, *gone);
                offered[i].reach();
                c.linger(std::chrono::microseconds{i * 50});
                t.close({1, i});
                std::fill(gone->begin(), gone->end(), std::byte{0xff});
                gone.reset();
                taken_back[i].reach();
                continue;
            }
            c.meet(offered[i], 1, "a message is offered");
            const auto& x = c.receive({1, i}, 0, in);
            c.meet(taken_back[i], 1, "its memory is taken back");
            c.linger(std::chrono::milliseconds{1});
            expect(is_pending(x) || (is_done(x) && in == good), "nothing is read after its sender has closed");
            t.close({1, i});
        }
    });
}

/// What a reducer needs to be slow while its incoming data should stay as it is.
struct slow_reading {
    milestone begun;
    bool torn = false;
};

/// Looks at the incoming data again after a while: true reading takes time.
inline void read_slowly(std::byte*, const std::byte*, const std::byte* incoming, std::size_t count, const void* state) {
    auto& reading = **static_cast<slow_reading* const*>(state);
    const bytes before(incoming, incoming + count);
    reading.begun.reach();
    if (!reading.begun.reached(2)) std::this_thread::sleep_for(std::chrono::milliseconds{30});
    reading.torn = reading.torn || !std::equal(before.begin(), before.end(), incoming);
}

/// A sender closes while the receiver's reducer is at work: close() does not return before the reducer has done with
/// memory that is the sender's.
template <contract_fixture Fixture>
void closing_waits_for_a_reader() {
    slow_reading reading;
    slow_reading* const state = &reading;
    milestone taken_back;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        bytes data(1'000'000);
        if (t.rank() == 0) {
            c.send({1, 0}, 1, data);
            c.meet(reading.begun, 1, "the receiver reduces");
            t.close({1, 0});
            std::fill(data.begin(), data.end(), std::byte{0xff});
            taken_back.reach();
            return;
        }
        const reducer op{read_slowly, &state, 1};
        c.reduce({1, 0}, 0, data, data, op, false);
        c.meet(taken_back, 1, "the sender's memory is taken back");
        expect(!reading.torn, "a reducer's incoming data stays until it has done");
        t.close({1, 0});
    });
}

/// What a send had completed still reaches the peer when its context is closed at once.
template <contract_fixture Fixture>
void completed_sends_survive_close() {
    milestone closed;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        bytes data(8, std::byte{5});
        if (t.rank() == 0) {
            c.send({1, 0}, 1, data);
            c.finish("a small send completes");
            t.close({1, 0});
            closed.reach();
            c.await(transport::notice_kind::departed, "the receiver leaves");
            return;
        }
        c.meet(closed, 1, "the peer closes");
        bytes in(8);
        c.receive({1, 0}, 0, in);
        c.finish("a completed send arrives although its context is closed");
        expect(in == data, "a completed send is intact");
    });
}

/// Closing what was never opened, or twice, does nothing.
template <contract_fixture Fixture>
void closing_nothing_is_harmless() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        t.close({9, 9});
        t.open({1, 0}, 1 - t.rank());
        t.close({1, 0});
        t.close({1, 0});
        std::byte in{};
        const std::byte out{};
        c.send({1, 1}, 1 - t.rank(), &out, 1);
        c.receive({1, 1}, 1 - t.rank(), &in, 1);
        c.finish("other contexts work");
    });
}

} // namespace tutti::test

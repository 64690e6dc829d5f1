// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <memory>
#include <thread>

namespace tutti::test {

template <class F>
concept viewing_fixture = contract_fixture<F> && transport::viewing_transport<typename F::transport>;

/// Memory that a transport is most likely to let others view, filled with `data`.
template <class Transport>
std::shared_ptr<std::byte> open_memory(const Transport& t, const bytes& data) {
    std::shared_ptr<std::byte> memory;
    if constexpr (requires { t.allocate(1); })
        memory = t.allocate(data.size());
    else
        memory.reset(new std::byte[data.size()], std::default_delete<std::byte[]>());
    std::copy(data.begin(), data.end(), memory.get());
    return memory;
}

/// Receives what may be viewed and returns what came, wherever it was; `stored` is where it goes otherwise.
template <class Transport>
bytes viewed_or_stored(Transport& t, courier<Transport>& c, transport::context k, int peer, std::size_t size) {
    const bytes untouched(size, std::byte{0xee});
    bytes stored = untouched;
    const auto& x = c.view(k, peer, stored);
    c.finish(x, "what may be viewed arrives");
    expect(x.moved == size, "all of it has moved");
    if (!x.viewed) return stored;
    expect(stored == untouched, "what is viewed is not stored");
    auto& h = t.open(k, peer);
    const std::byte* const there = t.look(h, x);
    expect(there, "what nobody takes back can be looked at");
    bytes seen(there, there + size);
    expect(t.release(h, x), "what nobody takes back is valid");
    return seen;
}

/// Messages of every length, from any memory, are the same viewed as stored; whatever comes behind them too.
template <viewing_fixture Fixture>
void views_show_messages() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        std::size_t seed = 0;
        for (const std::size_t size : {1U, 24U, 100U, 2048U, 5'000U, 16'384U, 16'385U, 300'003U})
            for (const bool open : {false, true}) {
                const auto mine = pattern(size, 2 * ++seed + static_cast<std::size_t>(t.rank()));
                const auto theirs = pattern(size, 2 * seed + static_cast<std::size_t>(peer));
                const auto lying_open = open_memory(t, mine);
                for (int times = 0; times < 20; ++times) {
                    const auto& sent = c.send({1, 0}, peer, open ? lying_open.get() : mine.data(), size);
                    expect(viewed_or_stored(t, c, {1, 0}, peer, size) == theirs, "a viewed message is intact");
                    c.finish(sent, "the send of a message that was viewed completes");
                }
                bytes in(size);
                c.send({1, 0}, peer, mine);
                c.receive({1, 0}, peer, in);
                c.finish("a plain message passes behind viewed ones");
                expect(in == theirs, "and is intact");
            }
    });
}

/// An answer may be written where the message lies that it answers, if its sender has said so and the transport lets
/// it. Then it travels without data, and leaves what is there; else it is a message as any other.
template <viewing_fixture Fixture>
void answers_may_lie_there_already() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const transport::context k{1, 0};
        int written = 0, brought = 0;
        for (const std::size_t size : {24U, 5'000U, 300'003U})
            for (std::uint32_t number = 0; number < 3; ++number) { // 0: none is awaited
                const auto question = pattern(size, 2 * size + number), answer = pattern(size, 2 * size + number + 7);
                if (t.rank() == 0) {
                    const auto memory = open_memory(t, question);
                    c.finish(c.send(k, 1, memory.get(), size, decltype(c)::usual_signature, number),
                             "it has been read");
                    const bool is_there = std::equal(answer.begin(), answer.end(), memory.get());
                    auto& x = c.receive_answer(k, 1, memory.get(), size);
                    c.finish(x, "the answer comes");
                    expect(std::equal(answer.begin(), answer.end(), memory.get()), "and is right");
                    expect(x.moved == size, "all of it");
                    expect(!is_there || number == 1, "none but the awaited one is written");
                    continue;
                }
                bytes stored(size);
                const auto& x = c.view(k, 0, stored);
                c.finish(x, "the message is there");
                const bool writes = x.viewed && x.answer == 1; // the answers are the first messages
                if (x.viewed) {
                    auto& h = t.open(k, 0);
                    const std::byte* const there = t.look(h, x);
                    expect(there && std::equal(question.begin(), question.end(), there), "it is the question");
                    for (std::size_t at = 0; writes && at < size; at += 100'000)
                        expect(t.answer(h, at, answer.data() + at, std::min<std::size_t>(100'000, size - at)),
                               "it may be written");
                    expect(t.release(h, x), "which nobody takes back");
                }
                expect(!x.viewed || x.answer == 0 || x.answer == number, "a viewer knows which answer is awaited");
                c.finish(c.answer(k, 0, answer, writes), "the answer leaves");
                ++(writes ? written : brought);
            }
        if (t.rank() == 0) return;
        expect(brought >= 6, "most bring their data");
        if constexpr (requires { Fixture::writes_answers; }) expect(written >= 1, "some are written");
    });
}

/// What does not match is never viewed, nor is an empty message.
template <viewing_fixture Fixture>
void only_what_matches_is_viewed() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const bytes out(100), none;
        if (t.rank() == 0) {
            c.send({1, 0}, 1, out);
            c.send({1, 0}, 1, out);
            c.finish("small messages leave");
            c.await(transport::notice_kind::departed, "the receiver leaves");
            return;
        }
        bytes in(99, std::byte{7});
        const auto& x = c.view({1, 0}, 0, in);
        c.finish(x, "a mismatched receive completes");
        expect(x.status == transport::transfer_status::mismatched && !x.viewed, "as mismatched, and nothing is shown");
        expect(in == bytes(99, std::byte{7}), "nor stored");
        expect(viewed_or_stored(t, c, {1, 0}, 0, 100) == out, "the next message may be viewed again");
    });
}

/// Until a viewed message has been read its channel stands, and no other one does.
template <viewing_fixture Fixture>
void views_hold_their_channel_alone() {
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        const auto first = open_memory(t, pattern(50'000, 1));
        const auto second = pattern(8, 2);
        c.send({1, 0}, peer, first.get(), 50'000);
        c.send({1, 0}, peer, second);
        c.send({1, 1}, peer, second);
        bytes stored(50'000), behind(8), aside(8);
        const auto& x = c.view({1, 0}, peer, stored);
        c.finish(x, "the first message is there");
        const auto& y = c.receive({1, 0}, peer, behind);
        const auto& z = c.receive({1, 1}, peer, aside);
        c.finish(z, "another channel goes on");
        c.linger(std::chrono::milliseconds{10});
        expect(!x.viewed || is_pending(y), "behind a message that waits to be read nothing is received");
        if (x.viewed) {
            auto& h = t.open({1, 0}, peer);
            const std::byte* const there = t.look(h, x);
            expect(there && std::equal(there, there + 50'000, first.get()), "it is still there");
            expect(t.release(h, x), "and valid");
        }
        c.finish("then all that was sent arrives");
        expect(behind == second && aside == second, "and is intact");
    });
}

/// A sender closes when its message waits to be read: what is then seen of it is intact, or declared void.
template <viewing_fixture Fixture>
void closing_voids_views() {
    milestone shown, taken_back;
    Fixture{}.run(2, [&](auto& t) {
        int rounds = 0;
        for (const std::size_t size : {100U, 1'000'000U}) {
            ++rounds;
            courier c{t};
            const transport::context k{1, static_cast<std::uint32_t>(size)};
            const auto good = pattern(size, 3);
            if (t.rank() == 0) {
                auto memory = open_memory(t, good);
                c.send(k, 1, memory.get(), size);
                c.meet(shown, rounds, "the receiver could read it");
                t.close(k);
                std::fill_n(memory.get(), size, std::byte{0xff});
                memory.reset();
                taken_back.reach();
                continue;
            }
            bytes in(size);
            const auto& x = c.view(k, 0, in);
            c.finish(x, "the message is there");
            shown.reach();
            c.meet(taken_back, rounds, "its sender takes it back");
            if (x.viewed) {
                auto& h = t.open(k, 0);
                const std::byte* const there = t.look(h, x);
                if (there) in.assign(there, there + size);
                expect(t.release(h, x) ? there && in == good : true, "what was taken back is not valid");
            }
            t.close(k);
        }
    });
}

/// A sender closes while its message is being read: it waits, and what was read is valid.
template <viewing_fixture Fixture>
void closing_waits_for_a_viewer() {
    milestone looking, taken_back;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        constexpr std::size_t size = 1'000'000;
        const auto good = pattern(size, 4);
        if (t.rank() == 0) {
            const auto memory = open_memory(t, good);
            c.send({1, 0}, 1, memory.get(), size);
            c.meet(looking, 1, "the receiver looks");
            t.close({1, 0});
            std::fill_n(memory.get(), size, std::byte{0xff});
            taken_back.reach();
            return c.meet(taken_back, 2, "the receiver has compared");
        }
        bytes in(size);
        const auto& x = c.view({1, 0}, 0, in);
        c.finish(x, "the message is there");
        auto& h = t.open({1, 0}, 0);
        const auto before = transport::clock::now();
        const std::byte* const there = x.viewed ? t.look(h, x) : in.data();
        looking.reach();
        std::this_thread::sleep_for(std::chrono::milliseconds{30});
        const bool same = there && std::equal(good.begin(), good.end(), there);
        const bool in_time = transport::clock::now() - before < std::chrono::milliseconds{90}; // no one waits for ever
        expect(same || !in_time, "what is being read stays as it is");
        if (x.viewed) static_cast<void>(t.release(h, x));
        c.meet(taken_back, 1, "then the sender goes on");
        taken_back.reach();
        t.close({1, 0});
    });
}

/// A receiver closes and never reads what waits: the sender is free when it closes too, and other contexts go on.
template <viewing_fixture Fixture>
void closing_forgets_views() {
    milestone ready;
    Fixture{}.run(2, [&](auto& t) {
        const int peer = 1 - t.rank();
        const auto memory = open_memory(t, pattern(100'000, 5));
        auto fastest = transport::clock::duration::max();
        for (std::uint32_t round = 1; round <= 5; ++round) {
            courier cancelled{t};
            bytes in(100'000);
            cancelled.send({1, round}, peer, memory.get(), in.size());
            cancelled.finish(cancelled.view({1, round}, peer, in), "the message is there");
            ready.reach();
            courier{t}.meet(ready, 2 * static_cast<int>(round), "both could read");
            const auto before = transport::clock::now();
            t.close({1, round});
            fastest = std::min(fastest, transport::clock::now() - before);
        }
        expect(fastest < std::chrono::milliseconds{90}, "nobody who does not read is waited for");
        courier c{t};
        bytes out(8), in(8);
        c.send({1, 0}, peer, out);
        c.receive({1, 0}, peer, in);
        c.finish("another context is not disturbed");
    });
}

} // namespace tutti::test

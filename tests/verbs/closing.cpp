// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include "transport/contract/courier.hpp"

using namespace tutti;
using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t long_bytes = 3'000'000;

/// Rank 0 closes a context of which rank 1 may be reading, again and again, while another context is under way.
void close_beside(transport::verbs& t, int times) {
    courier other{t};
    const bytes out = pattern(20'000'000, 1);
    bytes in(out.size());
    if (t.rank() == 0)
        other.send({2, 0}, 1, out);
    else
        other.receive({2, 0}, 0, in);
    for (int i = 0; i < times; ++i) {
        courier c{t};
        const transport::context k{1, static_cast<std::uint32_t>(i)};
        bytes gone = pattern(long_bytes, 2);
        t.rank() == 0 ? c.send(k, 1, gone) : c.receive(k, 0, gone);
        c.linger(std::chrono::microseconds{300 * i});
        t.close(k);
        std::fill(gone.begin(), gone.end(), std::byte{0xff});
        const auto before = c.completed();
        c.linger(std::chrono::microseconds{500});
        expect(c.completed() == before, "nothing of a closed context completes");
    }
    other.finish("another context goes on");
    expect(!t.broken(1 - t.rank()), "the link is whole");
    if (t.rank() == 1) expect(in == out, "what it carries is intact");
}

} // namespace

TEST_CASE("a context that is closed while its memory is read disturbs no other") {
    run_verbs(2, {}, [](transport::verbs& t) {
        close_beside(t, 20);
        courier last{t};
        int there = 0, back = 0;
        last.send({3, 0}, 1 - t.rank(), reinterpret_cast<const std::byte*>(&there), sizeof there);
        last.receive({3, 0}, 1 - t.rank(), reinterpret_cast<std::byte*>(&back), sizeof back);
        last.finish("both leave together");
    });
}

TEST_CASE("a context whose peer does not answer is closed within 200 ms, and its memory is not read later") {
    const bool looks_before = GENERATE(false, true); // it has seen the announcement when the sender closes
    milestone announced, seen, closed;
    run_verbs(2, {}, [&](transport::verbs& t) {
        courier c{t};
        int word = 0;
        auto* const first = reinterpret_cast<std::byte*>(&word);
        t.rank() == 0 ? c.send({9, 0}, 1, first, sizeof word) : c.receive({9, 0}, 0, first, sizeof word);
        c.finish("they are connected");
        bytes data = pattern(long_bytes, 5);
        if (t.rank() == 0) {
            courier gone{t};
            gone.send({1, 0}, 1, data);
            gone.linger(20ms); // the announcement is there
            announced.reach();
            seen.await("the peer has looked");
            const auto begun = transport::clock::now();
            t.close({1, 0});
            expect(transport::clock::now() - begun < 200ms, "it takes no longer");
            std::fill(data.begin(), data.end(), std::byte{0xff});
            data = bytes();
            closed.reach();
        } else {
            announced.await("the message is announced"); // it computes, and does not progress
            if (looks_before) c.linger(5ms);
            seen.reach();
            closed.await("the sender has closed");
            courier late{t};
            bytes in(long_bytes);
            late.receive({1, 0}, 0, in);
            late.linger(200ms);
            expect(late.completed() == 0, "what was taken back does not come");
            t.close({1, 0});
        }
        c.send({9, 1}, 1 - t.rank(), first, sizeof word);
        c.receive({9, 1}, 1 - t.rank(), first, sizeof word);
        c.finish("the link is whole");
    });
    SUCCEED();
}

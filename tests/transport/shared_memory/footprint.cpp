// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What shared memory takes: how it grows with use, and that it is given back.

#include <transport/shared_memory.hpp>

#include "../contract/courier.hpp"
#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/milestone.hpp"
#include "support/run_ranks.hpp"
#include "support/shared_bytes.hpp"

using namespace tutti;
using namespace tutti::test;
using transport::context;
using transport::shared_memory;

namespace {

constexpr std::size_t mib = 1024 * 1024;

void run_two(const std::function<void(shared_memory&)>& body) {
    const reserved_port at;
    run_ranks(2, [&](int rank) {
        shared_memory t{identity(rank, 2, at)};
        body(t);
    });
}

/// Messages of so many bytes to the peer and from it, one in each of these contexts, checked.
void send_both_ways(shared_memory& t, std::uint64_t first, std::uint64_t contexts, std::size_t bytes) {
    courier c{t};
    const int peer = 1 - t.rank();
    std::vector<std::byte> out(bytes, static_cast<std::byte>(1 + t.rank())), in(bytes);
    for (std::uint64_t k = first; k < first + contexts; ++k) {
        std::fill(in.begin(), in.end(), std::byte{0});
        c.receive({k, 0}, peer, in.data(), bytes);
        c.send({k, 0}, peer, out.data(), bytes);
        c.finish("both messages cross");
        expect(in.front() == static_cast<std::byte>(1 + peer) && in.back() == in.front(), "what was sent has come");
    }
}

/// Both ranks are here; then one of them says.
void meet(shared_memory& t, milestone& m, int number) {
    m.reach();
    courier c{t};
    c.meet(m, 2 * number, "both are here");
}

} // namespace

TEST_CASE("channels that are used in turn share their memory") {
    milestone here;
    CHECK_NOTHROW(run_two([&](shared_memory& t) {
        send_both_ways(t, 1, 200, mib / 4); // 50 MiB in each direction, if each kept what it had used
        meet(t, here, 1);
        expect(shared_bytes() < 20 * mib, "two segments take less than 20 MiB, not " + std::to_string(shared_bytes()));
        meet(t, here, 2);
    }));
}

TEST_CASE("what channels have used is given back when both sides have closed them") {
    constexpr std::uint64_t contexts = 600;
    milestone here;
    CHECK_NOTHROW(run_two([&](shared_memory& t) {
        send_both_ways(t, 1, 1, 8);
        // Nobody reads: sixteen slots of each channel are full, in each direction.
        courier c{t};
        std::vector<std::byte> out(mib / 2);
        for (std::uint64_t k = 2; k < contexts; ++k) c.send({k, 0}, 1 - t.rank(), out.data(), out.size());
        t.progress();
        meet(t, here, 1);
        expect(shared_bytes() > 40 * mib, "much has been used, not only " + std::to_string(shared_bytes()));
        meet(t, here, 2);
        for (std::uint64_t k = 2; k < contexts; ++k) t.close({k, 0});
        meet(t, here, 3);
        send_both_ways(t, 1, 100, 8); // whoever opens or closes a channel, or goes to sleep, looks what has been closed
        t.close({100, 0});
        meet(t, here, 4);
        // The peer may have yet to look.
        for (const auto end = transport::clock::now() + patience;
             shared_bytes() >= 6 * mib && transport::clock::now() < end;) {
            t.progress();
            t.wait(transport::clock::now() + std::chrono::milliseconds{10});
        }
        expect(shared_bytes() < 6 * mib, "two segments take less than 6 MiB, not " + std::to_string(shared_bytes()));
        meet(t, here, 5);
        send_both_ways(t, contexts, 20, mib / 4); // lanes and rooms are as good as new
    }));
}

TEST_CASE("a channel that nobody reads leaves rooms to the others, and they to it") {
    constexpr std::uint64_t contexts = 100;
    milestone here;
    CHECK_NOTHROW(run_two([&](shared_memory& t) {
        courier c{t};
        std::vector<std::byte> out(mib, std::byte{7});
        std::vector<std::vector<std::byte>> in(contexts, std::vector<std::byte>(out.size()));
        if (t.rank() == 0)
            for (std::uint64_t k = 1; k <= contexts; ++k) c.send({k, 0}, 1, out.data(), out.size());
        meet(t, here, 1);
        expect(shared_bytes() < 24 * mib, "what waits is bounded, not " + std::to_string(shared_bytes()));
        meet(t, here, 2);
        if (t.rank() == 1) // the channel that was filled last is read first
            for (std::uint64_t k = contexts; k > 0; --k) {
                c.receive({k, 0}, 0, in[k - 1].data(), out.size());
                c.finish("it comes though the others wait");
                expect(in[k - 1] == out, "whole");
            }
        else
            c.finish("all are taken");
    }));
}

TEST_CASE("a rank has as many channels as it opens") {
    constexpr std::uint64_t contexts = 17'000; // some thousands of communicators, or 65 of them with 63 peers
    CHECK_NOTHROW(run_two([&](shared_memory& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        const auto out = static_cast<std::byte>(t.rank());
        std::vector<std::byte> in(contexts);
        for (std::uint64_t k = 0; k < contexts; ++k) c.send({k + 1, 0}, peer, &out, 1);
        for (std::uint64_t k = 0; k < contexts; ++k) c.receive({k + 1, 0}, peer, &in[k], 1);
        c.finish("a byte crosses in each");
        expect(in == std::vector<std::byte>(contexts, static_cast<std::byte>(peer)), "it is the peer's");
    }));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"
#include "strangers.hpp"

#include <sys/resource.h>

#include <deque>

using namespace tutti;
using namespace tutti::test;
namespace bootstrap = tutti::transport::bootstrap;

namespace {

/// Connects to some ports in turn, `rate` times a second, until `mine.stage` is 3. At every other turn it says first
/// what a rank has said: the rendezvous has to go through a handshake with it. Counts the connections in `mine.calls`.
void flood(const std::vector<std::uint16_t>& ports, int rate, account& mine) {
    const auto hello = first_record({bootstrap::purpose::control, 0, 1, 0, 3, 0}, identity(1, 3, reserved_port{}).key);
    std::deque<bootstrap::descriptor> open;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; mine.stage.load(std::memory_order_acquire) < 3; ++i) {
        const auto where = *bootstrap::address::literal("127.0.0.1", ports[static_cast<std::size_t>(i) % ports.size()]);
        auto s = bootstrap::new_socket(where);
        if (s) static_cast<void>(::connect(s.get(), where.data(), where.length()));
        if (s && i / static_cast<int>(ports.size()) % 2 == 0) static_cast<void>(bootstrap::write_some(s.get(), hello));
        if (s) open.push_back(std::move(s));
        if (open.size() > 2000) {
            const linger at_once{1, 0}; // or the ports of this host would run out
            ::setsockopt(open.front().get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            open.pop_front();
        }
        mine.calls.fetch_add(1, std::memory_order_release);
        std::this_thread::sleep_until(begin + std::chrono::microseconds(1'000'000LL * (i + 1) / rate));
    }
    const linger at_once{1, 0};
    for (auto& s : open) ::setsockopt(s.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

/// A rank that waits for stage 2 outside, and then calls with a deadline of 3 s.
void work(int rank, int size, const reserved_port& at, account& mine, rlim_t descriptors) {
    const rlimit few{descriptors, descriptors};
    if (descriptors > 0) ::setrlimit(RLIMIT_NOFILE, &few);
    transport::tcp t{identity(rank, size, at)};
    const auto own = t.name_of(rank).address;
    mine.note = own.substr(own.rfind(':') + 1);
    mine.stage.store(1, std::memory_order_release);
    while (mine.stage.load(std::memory_order_acquire) < 2) std::this_thread::sleep_for(1ms);
    world_of_processes world{std::move(t)};
    world.default_deadline(3s);
    for (int i = 0; i < 10; ++i) {
        std::vector<int> data(100'000, rank + 1);
        world.allreduce(data, sum, algorithm::one_shot{});
        expect(data[77] == size * (size + 1) / 2, "results stay right in a flood");
    }
}

void call_in_a_flood(int rate, rlim_t descriptors) {
    CAPTURE(rate, descriptors);
    constexpr int size = 3;
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) { work(rank, size, at, mine, descriptors); });
    ranks.await_stage(1);
    std::vector<std::uint16_t> ports;
    for (int r = 0; r < size; ++r) ports.push_back(static_cast<std::uint16_t>(std::stoi(ranks.of(r).note.str())));
    ports.push_back(at.port());
    for (int f = 0; f < 2; ++f) ranks.start([&](int, account& mine) { flood(ports, rate, mine); });
    std::this_thread::sleep_for(500ms); // the queues of all ports are full of strangers
    for (int r = 0; r < size; ++r) ranks.of(r).stage.store(2, std::memory_order_release);
    for (int r = 0; r < size; ++r) {
        INFO("rank " << r);
        CHECK(ranks.end(r) == "");
    }
    for (int f = size; f < size + 2; ++f) {
        CHECK(ranks.of(f).calls.load() > rate / 10); // there was a flood
        ranks.of(f).stage.store(3, std::memory_order_release);
        CHECK(ranks.end(f) == "");
    }
}

} // namespace

TEST_CASE("calls with a deadline of 3 s come through while two flood all ports") {
    for (const int rate : {500, 3000}) call_in_a_flood(rate, 0);
}

TEST_CASE("strangers do not end a job whose processes may have 64 descriptors each") { call_in_a_flood(500, 64); }

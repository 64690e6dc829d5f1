// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Why shared memory uses its rooms in rotation (transport/fabrics/shared_memory/rooms.hpp): two threads send each other
// 1 MiB in parts of 32 KiB, through so many rooms of each. A part is copied into a room by one thread and out of it by
// the other. On some processors few rooms are slow, since both threads' cores still have them in their caches. It says
// nothing where the two threads share a core: then processor time is far below real time.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t part_bytes = 32 * 1024, parts = 32, parts_ahead = 16;

struct alignas(4096) part {
    std::array<std::byte, part_bytes> bytes{};
};

/// The way from one thread to the other. Each of the two counters is written by one of them (release) and read by the
/// other (acquire): parts before `written` are there, and the rooms of those before `read` may be written again.
struct way {
    explicit way(std::size_t number) : rooms(number) {}

    std::vector<part> rooms;
    alignas(64) std::atomic<std::size_t> written{0};
    alignas(64) std::atomic<std::size_t> read{0};
};

/// Sends a message over one way and receives one over the other; yields while it can do neither.
void exchange(way& out, way& in, std::vector<part>& message, std::vector<part>& result) {
    const std::size_t rooms = out.rooms.size(), ahead = std::min(rooms, parts_ahead);
    for (std::size_t sent = 0, received = 0; sent < parts || received < parts;) {
        bool moved = false;
        for (std::size_t w = out.written.load(std::memory_order_relaxed);
             sent < parts && w - out.read.load(std::memory_order_acquire) < ahead; moved = true) {
            std::memcpy(&out.rooms[w % rooms], &message[sent++], part_bytes);
            out.written.store(++w, std::memory_order_release);
        }
        for (std::size_t r = in.read.load(std::memory_order_relaxed);
             received < parts && r < in.written.load(std::memory_order_acquire); moved = true) {
            std::memcpy(&result[received++], &in.rooms[r % rooms], part_bytes);
            in.read.store(++r, std::memory_order_release);
        }
        if (!moved) std::this_thread::yield();
    }
}

void exchange_of_1_MiB(benchmark::State& state) {
    const auto rooms = static_cast<std::size_t>(state.range(0));
    way there(rooms), back(rooms);
    // How many exchanges the other thread is to have made; -1 ends it. It reads with acquire what this one releases.
    std::atomic<long> wanted{0};
    std::jthread other([&] {
        std::vector<part> message(parts), result(parts);
        for (long made = 0;;) {
            const long now = wanted.load(std::memory_order_acquire);
            if (now < 0) return;
            if (made == now)
                std::this_thread::yield();
            else
                exchange(back, there, message, result), ++made;
        }
    });
    std::vector<part> message(parts), result(parts);
    for (auto _ : state) {
        wanted.fetch_add(1, std::memory_order_release);
        exchange(there, back, message, result);
    }
    wanted.store(-1, std::memory_order_release);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(parts * part_bytes));
}

} // namespace

BENCHMARK(exchange_of_1_MiB)->ArgName("rooms")->RangeMultiplier(2)->Range(4, 128)->UseRealTime();

BENCHMARK_MAIN();

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What the parameter server moves, beside a loop of allreduce by the same ranks of as many bytes, in turn. Ranks are
// threads of this process, over shared_memory and tcp. Each worker pushes a range and gets it, and has up to 4 gets and
// 16 requests at each server under way. GB/s count pushed and got values of all workers. Requests are those that
// servers answer: one for each segment of a range. The ratio is the time of a push and a get to that of an allreduce.
// Then lists of keys, which are the same each time, or new. Medians of rounds, of the slowest worker.
//
// usage: parameter_server [KIBIBYTES [ROUNDS]]    ranges of up to 4096 KiB and 5 rounds if not given

#include <collectives/collectives.hpp>
#include <training/parameter_server.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include "../tests/support/identity.hpp"
#include "../tests/support/run_ranks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace {

using namespace tutti;
namespace server = training::server;
using clock_type = std::chrono::steady_clock;
using floats = std::vector<float>;
using key_list = std::vector<std::uint64_t>;

constexpr std::uint64_t keys = 1 << 20;
constexpr std::size_t gets_under_way = 4;

struct shape {
    int servers, workers;
    [[nodiscard]] int ranks() const { return servers + workers; }
};

double seconds_since(clock_type::time_point begin) {
    return std::chrono::duration<double>(clock_type::now() - begin).count();
}
double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// A rank's part of a store that lives for one measurement. `work(client)` is a worker's. The time of the slowest one.
template <class World, class Work>
double with_store(const World& all, const server::links<World>& by, const Work& work) {
    all.barrier();
    double time = 0;
    if (by.server() >= 0) {
        server::shard_server(by, training::sgd{}).serve();
    } else {
        server::client store(by);
        const auto begin = clock_type::now();
        work(store);
        store.flush();
        time = seconds_since(begin);
        store.close();
    }
    return all.allreduce(time, maximum);
}

/// Pushes and gets ranges of so many keys, which move on over the store.
template <class Store>
void push_and_get(Store& store, std::size_t length, int times, std::uint64_t first) {
    const floats gradients(length, 1);
    std::array<floats, gets_under_way> into;
    for (auto& i : into) i.resize(length);
    std::deque<typename Store::ticket> under_way;
    for (int k = 0; k < times; ++k, first += length) {
        if (under_way.size() == gets_under_way) {
            store.wait(under_way.front());
            under_way.pop_front();
        }
        const std::uint64_t at = first / length * length % (keys / length * length);
        store.push(at, gradients, 1e-3);
        under_way.push_back(store.start_get(at, into[static_cast<std::size_t>(k) % gets_under_way]));
    }
    for (const auto t : under_way) store.wait(t);
}

struct times_of_round {
    std::vector<double> store, allreduce;
};

/// A range of so many bytes.
template <class World>
void measure_range(const World& all, const server::links<World>& by, const char* name, shape s, std::size_t bytes,
                   int rounds) {
    const std::size_t length = bytes / sizeof(float);
    const int times = static_cast<int>(std::clamp<std::size_t>((std::size_t{16} << 20U) / bytes, 8, 1000));
    times_of_round of;
    floats data(length);
    for (int round = 0; round <= rounds; ++round) {
        const double store = with_store(all, by, [&](auto& c) {
            push_and_get(c, length, times, static_cast<std::uint64_t>(by.worker()) * (keys / 4));
        });
        all.barrier();
        const auto begin = clock_type::now();
        for (int k = 0; k < times; ++k) all.allreduce(std::span(data), sum);
        const double reduced = all.allreduce(seconds_since(begin), maximum);
        if (round == 0) continue; // connections and pages are new
        of.store.push_back(store / times);
        of.allreduce.push_back(reduced / times);
    }
    if (all.rank() != 0) return;
    const double store = median(of.store), reduced = median(of.allreduce);
    const double segment = static_cast<double>(by.where().keys_of(0).count);
    const double requests = 2 * s.workers * std::max(1.0, static_cast<double>(length) / segment);
    std::printf("| %s | %d | %d | %zu | %.2f | %.0f | %.0f | %.0f | %.2f |\n", name, s.servers, s.workers, bytes / 1024,
                2e-9 * static_cast<double>(bytes) * s.workers / store, requests / store, 1e6 * store, 1e6 * reduced,
                store / reduced);
}

/// Keys that increase, drawn from all.
key_list draw(std::mt19937& random, std::size_t count) {
    key_list all;
    const std::uint64_t stride = keys / count;
    for (std::size_t i = 0; i < count; ++i) all.push_back(i * stride + random() % stride);
    return all;
}

template <class World>
void measure_lists(const World& all, const server::links<World>& by, const char* name, shape s, std::size_t count,
                   bool repeats, int rounds) {
    constexpr int times = 100;
    std::vector<double> of;
    for (int round = 0; round <= rounds; ++round) {
        std::mt19937 random(static_cast<unsigned>(all.rank() + 100 * round));
        std::vector<key_list> lists;
        for (int k = 0; k < (repeats ? 1 : times); ++k) lists.push_back(draw(random, count));
        const floats ones(count, 1);
        floats got(count);
        const double taken = with_store(all, by, [&](auto& c) {
            for (int k = 0; k < times; ++k) {
                const auto& list = lists[repeats ? 0 : static_cast<std::size_t>(k)];
                c.push(list, ones, 1e-3);
                c.get(list, got);
            }
        });
        if (round > 0) of.push_back(taken / times);
    }
    if (all.rank() != 0) return;
    const double taken = median(of), requests = 2.0 * s.workers * static_cast<double>(by.where().segments());
    std::printf("| %s | %d | %d | %zu | %s | %.1f | %.0f | %.0f |\n", name, s.servers, s.workers, count,
                repeats ? "the same" : "new", 2e-6 * static_cast<double>(count) * s.workers / taken, requests / taken,
                1e6 * taken);
}

/// Calls body(world, links) on each rank.
template <class Transport, class Body>
void on_ranks(shape s, const Body& body) {
    const test::reserved_port at;
    std::vector<int> all(static_cast<std::size_t>(s.ranks()));
    std::iota(all.begin(), all.end(), 0);
    const auto first_worker = all.begin() + s.servers;
    const server::store_layout layout{
        .keys = keys, .servers = {all.begin(), first_worker}, .workers = {first_worker, all.end()}};
    test::run_ranks(s.ranks(), [&](int rank) {
        const communicator world{Transport{test::identity(rank, s.ranks(), at)}};
        const server::links by(world, layout);
        body(world, by);
    });
}

constexpr std::array<shape, 5> shapes{{{1, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 4}}};

template <class Transport>
void measure_ranges(const char* name, std::size_t most, int rounds) {
    for (const shape s : shapes)
        on_ranks<Transport>(s, [&](const auto& world, const auto& by) {
            for (std::size_t bytes = 4096; bytes <= most; bytes *= bytes == 4096 ? 16 : 8)
                measure_range(world, by, name, s, bytes, rounds);
        });
}
template <class Transport>
void measure_all_lists(const char* name, int rounds) {
    for (const shape s : {shapes.front(), shapes.back()})
        on_ranks<Transport>(s, [&](const auto& world, const auto& by) {
            for (const std::size_t count : {1000U, 32000U})
                for (const bool repeats : {true, false}) measure_lists(world, by, name, s, count, repeats, rounds);
        });
}

} // namespace

int main(int argc, char** argv) {
    const int kibibytes = argc > 1 ? std::atoi(argv[1]) : 4096, rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    if (kibibytes < 4 || kibibytes > 4096 || rounds < 1)
        return std::fputs("KIBIBYTES are 4 to 4096, and ROUNDS at least 1\n", stderr), 2;
    try {
        const std::size_t most = static_cast<std::size_t>(kibibytes) * 1024;
        std::puts(
            "| transport | servers | workers | KiB | GB/s | requests/s | push and get µs | allreduce µs | ratio |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        measure_ranges<transport::shared_memory>("shared_memory", most, rounds);
        measure_ranges<transport::tcp>("tcp", most, rounds);
        std::puts("\n| transport | servers | workers | keys | lists | million keys/s | requests/s | push and get µs |\n"
                  "|---|---:|---:|---:|---|---:|---:|---:|");
        measure_all_lists<transport::shared_memory>("shared_memory", rounds);
        measure_all_lists<transport::tcp>("tcp", rounds);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "parameter_server: %s\n", e.what());
        return 1;
    }
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Stream-ordered calls of ranks that are threads of one process.
#include <collectives/algorithm/all.hpp>
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/fake_stream_kernels.hpp"
#include "support/ordered_data.hpp"
#include "support/world.hpp"

#include <random>

using namespace tutti;
using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

using ordered = stream_communicator<fake_cuda_streams, fake_stream_kernels, test::communicator>;
const kernels::stream_limits little{.packet_bytes = 1024, .one_shot_bytes = 8192};

void run_streams(int ranks, const std::function<void(test::communicator&, ordered&)>& body,
                 std::chrono::milliseconds deadline = 30s) {
    thread_world threads(ranks);
    threads.run([&](test::communicator& world) {
        world.default_deadline(deadline);
        const fake_cuda_streams device(0);
        ordered on_streams(device, world, {}, little);
        body(world, on_streams);
    });
}

/// Calls of any size on two streams, each with its input made and its output read on the stream.
void any_calls(ordered& world, unsigned seed, int calls) {
    std::minstd_rand random(seed);
    fake_cuda_streams device(0);
    auto first = device.make_stream(), second = device.make_stream();
    std::atomic<std::size_t> wrong{0};
    const own_device_memory in[2]{own_device_memory(3000), own_device_memory(3000)}; // of each stream
    const own_device_memory out[2]{own_device_memory(3000), own_device_memory(3000)};
    for (int call = 0; call < calls; ++call) {
        const auto number = static_cast<std::size_t>(call);
        const std::size_t n = random() % 3 == 0 ? random() % 3 : 1 + random() % 3000;
        const std::size_t on = random() % 2;
        auto* const stream = on == 0 ? &first : &second;
        const auto from = in[on].seen().first(n), to = random() % 2 == 0 ? from : out[on].seen().first(n);
        produce(from, world.rank(), number, stream);
        world.allreduce(from, to, sum, stream);
        consume(to, world.size(), number, stream, wrong);
    }
    world.synchronize(&first);
    world.synchronize(&second);
    expect(wrong == 0, std::to_string(wrong) + " elements are wrong");
}

} // namespace

TEST_CASE("threads of one process allreduce in the order of their streams, by each of three ways") {
    const int ranks = GENERATE(1, 2, 3);
    CHECK_NOTHROW(run_streams(ranks, [](test::communicator&, ordered& on_streams) {
        expect(on_streams.path() == kernels::stream_path::together, "one launch has all ranks");
        any_calls(on_streams, 5, threads_watched ? 15 : 40);
    }));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("an average on a stream is the sum, scaled before it is rounded; integers have their maximum") {
    CHECK_NOTHROW(run_streams(3, [](test::communicator& world, ordered& on_streams) {
        fake_cuda_streams device(0);
        auto stream = device.make_stream();
        const auto data = on_streams.allocate<float>(100);
        const auto numbers = on_streams.allocate<std::int32_t>(2000);
        auto* const floats = reinterpret_cast<float*>(fake_cuda::reach(reinterpret_cast<std::byte*>(data.data()), 400));
        auto* const there =
            reinterpret_cast<std::int32_t*>(fake_cuda::reach(reinterpret_cast<std::byte*>(numbers.data()), 8000));
        for (int i = 0; i < 100; ++i) floats[i] = static_cast<float>(world.rank() + i);
        for (int i = 0; i < 2000; ++i) there[i] = (i * 31 + world.rank() * 17) % 1000;
        on_streams.allreduce(data, average, &stream);
        on_streams.allreduce(numbers, maximum, &stream);
        on_streams.synchronize(&stream);
        for (int i = 0; i < 100; ++i)
            expect(floats[i] == static_cast<float>(3 * i + 3) * (1.0F / 3), "element " + std::to_string(i));
        for (int i = 0; i < 2000; ++i)
            expect(there[i] == std::max({(i * 31) % 1000, (i * 31 + 17) % 1000, (i * 31 + 34) % 1000}), "the maximum");
    }));
}

TEST_CASE("any algorithm's schedule runs on a stream, with the bits of the host") {
    CHECK_NOTHROW(run_streams(3, [](test::communicator& world, ordered& on_streams) {
        fake_cuda_streams device(0);
        auto stream = device.make_stream();
        constexpr std::size_t n = 3001;
        const own_device_memory in(n), out(n);
        const auto there = [](std::span<float> s) {
            return reinterpret_cast<float*>(fake_cuda::reach(reinterpret_cast<std::byte*>(s.data()), s.size_bytes()));
        };
        std::vector<float> mine(n), wanted(n);
        for (std::size_t i = 0; i < n; ++i)
            mine[i] = 0.1F * static_cast<float>((i * 7919 + static_cast<std::size_t>(world.rank()) * 104'729) % 2003);
        for (const algorithm::any& how : algorithm::all(3)) {
            if (!how.offers(schedule::operation::allreduce)) continue;
            for (const bool in_place : {false, true, false}) { // the third time its plans are there
                const auto from = in_place ? out.seen() : in.seen();
                std::copy(mine.begin(), mine.end(), there(from));
                world.allreduce(mine, wanted, average, how);
                on_streams.allreduce(from, out.seen(), average, &stream, how);
                on_streams.synchronize(&stream);
                expect(std::equal(wanted.begin(), wanted.end(), there(out.seen())), std::string(how.name()));
            }
        }
        const auto f = fault_of([&] {
            on_streams.allreduce(in.seen(), world.rank() == 0 ? in.seen() : out.seen(), sum, &stream,
                                 algorithm::ring{});
        });
        expect(f.why == cause::invalid_argument, "in place on all ranks or on none");
    }));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("threads that call different things are told so, all of them") {
    CHECK_NOTHROW(run_streams(3, [](test::communicator& world, ordered& on_streams) {
        fake_cuda_streams device(0);
        auto stream = device.make_stream();
        const own_device_memory data(10);
        const auto f =
            fault_of([&] { on_streams.allreduce(data.seen().first(world.rank() == 2 ? 9 : 10), sum, &stream); });
        expect(f.why == cause::mismatch && f.peer == 2, "rank 2 differs");
        expect(f.detail.find("of 10 float32, sum, and rank 2 allreduce on a stream of 9 float32, sum") !=
                   std::string::npos,
               f.detail);
    }));
}

TEST_CASE("streams of threads record one graph together, or none") {
    CHECK_NOTHROW(run_streams(2, [](test::communicator& world, ordered& on_streams) {
        fake_cuda_streams device(0);
        auto stream = device.make_stream();
        const own_device_memory data(10);
        std::atomic<std::size_t> wrong{0};
        fake_cuda_streams::capture() = world.rank() == 0 ? 7 : 0;
        const auto f = fault_of([&] { on_streams.allreduce(data.seen(), sum, &stream); });
        expect(f.why == cause::invalid_argument, "they record different graphs");
        fake_cuda_streams::capture() = 7;
        produce(data.seen(), world.rank(), 3, &stream);
        on_streams.allreduce(data.seen(), sum, &stream);
        consume(data.seen(), 2, 3, &stream, wrong);
        on_streams.synchronize(&stream);
        fake_cuda_streams::capture() = 0;
        expect(wrong == 0, "the sum");
    }));
}

TEST_CASE("calls before and after a recorded one follow each other") {
    CHECK_NOTHROW(run_streams(2, [](test::communicator&, ordered& on_streams) {
        fake_cuda_streams device(0);
        std::atomic<bool> goes_on{false};
        auto first = device.make_stream(), recorded = device.make_stream(), second = device.make_stream();
        const own_device_memory data(10);
        first.put([&] {
            while (!goes_on) std::this_thread::sleep_for(1ms);
        });
        on_streams.allreduce(data.seen(), sum, &first);
        fake_cuda_streams::capture() = 7;
        on_streams.allreduce(data.seen(), sum, &recorded);
        fake_cuda_streams::capture() = 0;
        on_streams.synchronize(&recorded); // the tests' CUDA runs what it records, at once
        on_streams.allreduce(data.seen(), sum, &second);
        auto end = device.make_event();
        device.record_on(end, &second);
        std::this_thread::sleep_for(20ms);
        const bool overtakes = device.is_done(end);
        goes_on = true;
        on_streams.synchronize(&second);
        expect(!overtakes, "the last waits for the first");
    }));
}

TEST_CASE("where a thread lacks what calls on streams need, the host makes the calls of all") {
    CHECK_NOTHROW(thread_world(3).run([&](test::communicator& world) {
        fake_cuda_streams::maps() = world.rank() != 1;
        const ordered on_streams(fake_cuda_streams(0), world);
        fake_cuda_streams::maps() = true;
        expect(on_streams.path() == kernels::stream_path::host, "rank 1 cannot");
        expect(world.allreduce(1, sum) == 3, "the communicator works");
    }));
}

TEST_CASE("a thread that does not come to a call on a stream is named, and the device waits for nobody") {
    std::atomic<int> told{0};
    CHECK_NOTHROW(run_streams(
        3,
        [&told](test::communicator& world, ordered& on_streams) {
            fake_cuda_streams device(0);
            auto stream = device.make_stream();
            const own_device_memory data(10);
            if (world.rank() == 1) {
                while (told < 2) std::this_thread::sleep_for(1ms);
                return;
            }
            const auto f = fault_of([&] { on_streams.allreduce(data.seen(), sum, &stream); });
            ++told;
            expect(f.why == cause::timeout && f.peer == 1, "rank 1 is late");
            device.use();
            auto end = device.make_event();
            device.record_on(end, &stream);
            while (!device.is_done(end)) std::this_thread::yield();
        },
        100ms));
}

TEST_CASE("what has no kernel on a stream is refused, and changes nothing") {
    CHECK_NOTHROW(run_streams(2, [](test::communicator& world, ordered& on_streams) {
        fake_cuda_streams device(0);
        auto stream = device.make_stream();
        const own_device_memory data(10), other(9);
        std::atomic<std::size_t> wrong{0};
        expect(fault_of([&] { on_streams.allreduce(data.seen(), product, &stream); }).why == cause::invalid_argument,
               "there is no product here");
        expect(fault_of([&] { on_streams.allreduce(data.seen(), other.seen(), sum, &stream); }).why ==
                   cause::invalid_argument,
               "counts differ");
        std::vector<float> of_host(10);
        expect(fault_of([&] { on_streams.allreduce(of_host, sum, &stream); }).why == cause::invalid_argument,
               "memory of the host");
        const std::span<float> askew(reinterpret_cast<float*>(reinterpret_cast<std::byte*>(data.seen().data()) + 2), 3);
        expect(fault_of([&] { on_streams.allreduce(askew, sum, &stream); }).why == cause::invalid_argument, "aligned");
        produce(data.seen(), world.rank(), 1, &stream);
        on_streams.allreduce(data.seen(), sum, &stream);
        consume(data.seen(), 2, 1, &stream, wrong);
        on_streams.synchronize(&stream);
        expect(wrong == 0, "the sum");
        expect(on_streams.explain(data.seen()).find("one cooperative launch") == 0, "how it goes");
    }));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/membership.hpp>

#include "support/catch.hpp"
#include "support/counted_new.hpp"
#include "support/world.hpp"

using namespace tutti::test;

namespace {

/// What `call` allocates on this rank's thread when it is warm: every slot has run it. It may wait as often as it
/// likes.
template <class Call>
void expect_none(const Call& call, const std::string& what) {
    for (int warm = 0; warm < 16; ++warm) call();
    const std::size_t before = allocations;
    for (int k = 0; k < 40; ++k) call();
    const std::size_t made = allocations - before; // the sentence allocates too
    expect(made == 0, what + " allocates nothing, not " + std::to_string(made));
}

} // namespace

TEST_CASE("a warm blocking call allocates nothing") {
    for (const int size : {1, 2, 5})
        run_world(size, [](communicator& world) {
            for (const std::size_t count : {std::size_t{0}, std::size_t{10}, std::size_t{40'000}}) {
                const std::size_t all = count * static_cast<std::size_t>(world.size());
                std::vector<int> data(count, 1), out(count), large(all);
                for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2))
                    expect_none([&] { world.allreduce(data, out, tutti::sum, how); }, std::string(how.name()));
                expect_none([&] { world.allreduce(data, tutti::maximum); }, "allreduce in place");
                expect_none([&] { world.allreduce(data, tutti::premultiplied_sum(2)); }, "a premultiplied sum");
                expect_none([&] { world.reduce_scatter(large, out, tutti::premultiplied_sum(2)); }, "one of parts");
                expect_none([&] { world.allgather(data, large); }, "allgather");
                expect_none([&] { world.reduce_scatter(large, out, tutti::sum); }, "reduce_scatter");
                expect_none([&] { world.reduce(data, out, 0, tutti::sum); }, "reduce");
                expect_none([&] { world.broadcast(data, 0); }, "broadcast");
                expect_none([&] { world.barrier(); }, "barrier");
                auto plan = world.prepare().allreduce(data, tutti::maximum);
                expect_none([&] { plan.run(); }, "a prepared call");
                expect_none([&] { world.async().allreduce(data, tutti::maximum).wait(); }, "a request");
            }
        });
}

TEST_CASE("a warm call whose executor allocates nothing allocates nothing either") {
    struct at_once final : tutti::engine::executor {
        bool start(const tutti::engine::local_work& work, tutti::transport::transfer&) override {
            work.run();
            return true;
        }
        bool progress() override { return false; }
        void stop(tutti::transport::transfer_queue&) noexcept override {}
    };
    run_world(3, [](communicator& world) {
        at_once e;
        const auto mine = world.with_executor(e);
        std::vector<double> data(1000, 1), out(1000);
        for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2))
            expect_none([&] { mine.allreduce(data, out, tutti::average, how); }, std::string(how.name()));
    });
}

TEST_CASE("a warm call that waits long for a slow peer allocates nothing either") {
    run_world(2, [](communicator& world) {
        std::vector<int> data(10, 1);
        for (int warm = 0; warm < 16; ++warm) world.allreduce(data, tutti::maximum);
        if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(150));
        const std::size_t before = allocations;
        world.allreduce(data, tutti::maximum);
        const std::size_t made = allocations - before;
        expect(made == 0, "no allocation while it looks around, not " + std::to_string(made));
    });
}

TEST_CASE("a warm call that is recorded allocates nothing either, whether it fits or not") {
    run_world(3, [](communicator& world) {
        std::vector<int> data(1000, 1);
        auto recording = world.record(200);
        expect_none([&] { world.allreduce(data, tutti::maximum, tutti::algorithm::ring{}); }, "a recorded call");
        const auto trace = recording.stop();
        expect(trace.activities.size() > 100 && trace.missed_calls > 0, "some have fitted, some have not");
    });
}

TEST_CASE("a group of messages that is restarted allocates nothing where receives come first") {
    run_world(2, [](communicator& world) {
        for (const std::size_t count : {1, 100, 1000, 10'000, 100'000}) {
            std::vector<int> data(2 * count, 1);
            auto group = world.group();
            const auto start = [&](auto&& begin) { // rank 1 is ready before rank 0 sends
                if (world.rank() == 0) static_cast<void>(world.receive<char>(1, 7));
                begin();
                if (world.rank() == 1) world.send('x', 0, 7);
                group.wait();
            };
            start([&] {
                const tutti::strided apart{data.data(), count, 2};
                const auto row = std::span(data).first(count);
                world.rank() == 0 ? group.send(apart, 1) : group.receive(apart, 0);
                world.rank() == 0 ? group.send(row, 1, 1) : group.receive(row, 0, 1);
            });
            std::size_t made = 0, by_restarts = 0, fewest = 38;
            for (int k = 0; k < 400; ++k) {
                if (k % 20 == 0) fewest = k > 0 ? std::min(fewest, std::exchange(made, 0)) : fewest;
                const std::size_t before = allocations;
                std::size_t others = 0;
                start([&] {
                    others = allocations - before; // of the signal
                    group.restart();
                    if (k > 0) by_restarts += allocations - before - others;
                });
                if (k > 0) made += allocations - before - others;
            }
            expect(by_restarts == 0, "to start " + std::to_string(count) + ": " + std::to_string(by_restarts));
            // The transport may keep a packet that comes too early, as where others compute. Else most of 40 messages
            // come to memory that is there.
            fewest = std::min(fewest, made);
            expect(fewest < 12, std::to_string(count) + " elements: " + std::to_string(fewest));
        }
    });
}

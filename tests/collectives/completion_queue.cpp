// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/completion_queue.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <deque>
#include <random>
#include <span>
#include <stdexcept>

using namespace tutti::test;
using tutti::completion_queue;

TEST_CASE("a queue calls the function of each request once, when it is over, and no other") {
    run_world(3, [](communicator& world) {
        completion_queue queue(world);
        expect(!queue.run_one() && queue.dispatch() == 0, "there is none");
        std::vector<std::vector<int>> data(20, std::vector<int>(5'000, 1));
        std::vector<int> calls(data.size());
        for (std::size_t k = 0; k < data.size(); ++k)
            world.async().allreduce(data[k], tutti::sum).then(queue, [&, k] {
                ++calls[k];
                expect(data[k][4'999] == 3, "its result is there");
            });
        while (queue.run_one()) {
        }
        expect(queue.size() == 0 && std::all_of(calls.begin(), calls.end(), [](int n) { return n == 1; }), "all, once");
    });
}

TEST_CASE("functions may start and wait for further calls, and add to the queue") {
    run_world(2, [](communicator& world) {
        completion_queue queue(world);
        std::vector<int> first(1'000, 1), second(1'000, 1);
        int after = 0;
        queue.add(world.async().allreduce(first, tutti::sum), [&] {
            after = world.allreduce(first[0], tutti::sum);
            queue.add(world.async().allreduce(second, tutti::sum), [&] { after += second[999]; });
        });
        queue.run();
        expect(after == 6, "both have been called");
    });
}

TEST_CASE("a failure is what the function is given, or is thrown where it takes none") {
    run_world(2, [](communicator& world) {
        const auto group = world.duplicate();
        completion_queue queue(group);
        std::vector<int> one(100), other(100);
        bool told = false, called = false;
        if (world.rank() == 0) {
            queue.add(group.async().allreduce(one, tutti::sum),
                      [&](std::exception_ptr failed) { told = failed != nullptr; });
            queue.add(group.async().allreduce(other, tutti::sum), [&] { called = true; });
        }
        world.barrier();
        if (world.rank() == 1) return group.abort("no more");
        expect(queue.run_one() && told, "the function has it");
        const auto f = fault_of([&] { queue.run_one(); });
        expect(f.why == tutti::cause::aborted && !called && queue.size() == 0, f.detail);
    });
}

TEST_CASE("what a function throws passes, and the others stay") {
    run_world(1, [](communicator& world) {
        completion_queue queue(world);
        std::vector<int> data(10, 1);
        int called = 0;
        queue.add(world.async().allreduce(data, tutti::sum), [] { throw std::runtime_error("mine"); });
        queue.add(world.async().allreduce(data, tutti::sum), [&] { ++called; });
        std::string said;
        try {
            queue.dispatch();
        } catch (const std::runtime_error& e) {
            said = e.what();
        }
        expect(said == "mine" && queue.size() == 1 && queue.dispatch() == 1 && called == 1, said);
    });
}

TEST_CASE("a queue that is waited for in vain gives up in time, and goes with its requests") {
    run_world(2, [](communicator& world) {
        std::vector<int> data(100, 1);
        {
            completion_queue queue(world);
            bool called = false;
            if (world.rank() == 0) {
                queue.add(world.async().allreduce(data, tutti::sum), [&] { called = true; });
                expect(!queue.run_one_for(std::chrono::milliseconds(20)), "it cannot be over");
                world.send(1, 1);
            } else {
                int go = 0;
                world.receive(go, 0);
                world.allreduce(data, tutti::sum);
            }
            expect(!called, "nobody has asked for it");
        }
        expect(data[99] == 2, "the queue has waited for its request");
    });
}

TEST_CASE("one thread runs a queue while others add to it, as a seed draws") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    run_new_world(
        2,
        [seed](communicator& world) {
            completion_queue queue(world);
            constexpr int callers = 4, each = 50;
            std::atomic<int> called{0}, wrong{0};
            std::thread runs([&] { queue.run(); });
            std::vector<std::thread> threads;
            std::vector<communicator> own;
            std::deque<std::vector<int>> data(callers * each);
            for (int t = 0; t < callers; ++t) own.push_back(world.duplicate());
            for (std::size_t t = 0; t < callers; ++t)
                threads.emplace_back([&, t] {
                    std::minstd_rand random(seed + static_cast<unsigned>(t));
                    for (std::size_t k = 0; k < each; ++k) {
                        auto& mine = data[t * each + k];
                        mine.assign(std::size_t{1} << random() % 12, 1);
                        own[t].async().allreduce(mine, tutti::sum).then(queue, [&] {
                            if (mine.front() != 2 || mine.back() != 2) ++wrong;
                            ++called;
                        });
                        if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    }
                });
            for (auto& t : threads) t.join();
            queue.close();
            runs.join();
            expect(called == callers * each && wrong == 0, "each was called with its result");
        },
        tutti::progress::by_waiters);
}

TEST_CASE("several threads run a queue, and each goes on until it is closed") {
    run_new_world(
        2,
        [](communicator& world) {
            completion_queue queue(world);
            std::atomic<int> called{0};
            std::vector<std::thread> threads;
            for (int t = 0; t < 3; ++t) threads.emplace_back([&] { queue.run(); });
            std::deque<std::vector<int>> data(300, std::vector<int>(20, 1));
            for (auto& d : data) {
                queue.add(world.async().allreduce(d, tutti::sum), [&] { ++called; });
                if (&d == &data[100]) world.barrier();
            }
            for (const auto end = std::chrono::steady_clock::now() + patience; queue.size() > 0;)
                expect(std::chrono::steady_clock::now() < end, "all are called while the queue is open");
            queue.close();
            for (auto& t : threads) t.join();
            expect(called == 300, "each once");
        },
        tutti::progress::by_waiters);
}

TEST_CASE("a function may ask whose message it was") {
    run_world(3, [](communicator& world) {
        completion_queue queue(world);
        if (world.rank() > 0) return world.send(world.rank(), 0);
        std::vector<int> data(2), sources(2);
        for (std::size_t k = 0; k < 2; ++k)
            queue.add(world.async().receive(data[k], tutti::any_rank),
                      [&, k](std::exception_ptr failed, int source) { sources[k] = failed ? -1 : source; });
        queue.run();
        expect(data == sources && data[0] + data[1] == 3, "each message's sender");
    });
}

TEST_CASE("what is over when it is added is called, too") {
    run_world(1, [](communicator& world) {
        completion_queue queue(world);
        std::vector<int> data(3, 1);
        auto r = world.async().allreduce(data, tutti::sum);
        r.wait();
        int called = 0;
        queue.add(std::move(r), [&] { ++called; });
        expect(queue.run_one() && called == 1 && !queue.run_one(), "once");
    });
}

TEST_CASE("a receive that no message has met is withdrawn, and another one gets the message") {
    for (const std::size_t count : {std::size_t{3}, std::size_t{10'000}, std::size_t{100'000}})
        for (const bool to_itself : {false, true})
            run_world(2, [=](communicator& world) {
                std::vector<int> given_up(count, -1), data(count, world.rank());
                const int from = to_itself ? world.rank() : 1 - world.rank();
                auto r = world.async().receive(given_up, from, 7);
                auto other = world.async().receive(data, from, 8);
                expect(!r.test() && r.cancel() && r.collected(), "it is withdrawn");
                expect(!r.cancel(), "once");
                world.barrier();
                const std::vector<int> mine(count, 5);
                auto first = world.async().send(mine, from, 7);
                auto second = world.async().send(mine, from, 8);
                std::vector<int> late(count);
                world.receive(std::span(late), from, 7);
                wait_all(first, second, other);
                expect(late.back() == 5 && data.back() == 5 && given_up.back() == -1, "the others have theirs");
                expect(!other.cancel(), "it was over");
            });
}

TEST_CASE("any other call that is cancelled ends by an abort, which says what and who") {
    for (const bool sends : {false, true})
        run_world(2, [=](communicator& world) {
            const auto group = world.duplicate();
            std::vector<int> data(100'000);
            if (world.rank() == 0) {
                auto r = sends ? group.async().send(data, 1) : group.async().allreduce(data, tutti::sum);
                expect(!r.cancel() && r.collected(), "the call is given up");
            }
            world.barrier();
            const auto f = fault_of(
                [&] { world.rank() == 1 && sends ? static_cast<void>(group.receive(data, 0)) : group.barrier(); });
            expect(f.why == tutti::cause::aborted, f.detail);
            expect(f.detail.find(sends ? "send of 100000 int32" : "allreduce") != std::string::npos &&
                       f.detail.find("was cancelled") != std::string::npos,
                   f.detail);
        });
}

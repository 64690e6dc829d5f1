// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/milestone.hpp"

using namespace tutti::test;
using tutti::cause;

namespace {

void expect_late(const tutti::fault& f, int root) {
    expect(f.why == cause::timeout, "a timeout, not: " + message_of(f));
    expect(f.peer == root, "rank " + std::to_string(root) + " is blamed, not: " + message_of(f));
}

/// Communicators by which rank 0 waits for rank 1, which waits for rank 2.
struct chain {
    communicator first;  // 0 and 1
    communicator second; // 1 and 2

    explicit chain(communicator& world)
        : first(world.split(world.rank() == 2 ? 1 : 0)), second(world.split(world.rank() == 0 ? 1 : 0)) {}
};

} // namespace

TEST_CASE("a rank that never comes is the one that all others are told of") {
    using namespace tutti::algorithm;
    for (const any& how : {any(ring{}), any(halving_doubling{}), any(double_binary_tree{}), any(direct{})})
        for (const int late : {0, 3}) {
            gate all_failed(4);
            run_new_world(4, [&](communicator& world) {
                std::vector<int> data(20'000, 1);
                if (world.rank() != late) {
                    auto hasty = world.with_deadline(short_deadline);
                    const auto f = fault_in_time([&] { hasty.allreduce(data, tutti::sum, how); });
                    expect_late(f, late);
                    expect_contains(f.operation, std::string(how.name()));
                    expect(f.step >= 0, "the step that waited");
                    expect_unusable(world, f);
                }
                all_failed.pass();
                if (world.rank() == late)
                    expect_late(fault_in_time([&] { world.allreduce(data, tutti::sum, how); }), late);
            });
        }
}

TEST_CASE("the blame follows the waiting to its root: 0 waits for 1, which waits for 2") {
    gate all_failed(3);
    run_new_world(3, [&](communicator& world) {
        std::vector<int> data(20'000, 1);
        chain pairs(world);
        const auto f = [&]() -> std::optional<tutti::fault> {
            if (world.rank() == 2) return {};
            if (world.rank() == 1)
                return fault_in_time([&] {
                    pairs.second.with_deadline(short_deadline).allreduce(data, tutti::sum);
                    pairs.first.allreduce(data, tutti::sum);
                });
            return fault_in_time([&] { pairs.first.with_deadline(short_deadline).allreduce(data, tutti::sum); });
        }();
        if (f) expect_late(*f, 2); // on whatever communicator it is missed
        all_failed.pass();
    });
}

TEST_CASE("it does so however the rank in between waits, and whoever makes its progress") {
    const auto wait = [](request& r) { r.wait(); };
    const auto test = [](request& r) {
        while (!r.test()) std::this_thread::sleep_for(1ms);
    };
    const auto wait_any = [](request& r) { static_cast<void>(tutti::wait_any(std::span(&r, 1))); };
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters})
        for (const std::function<void(request&)>& how : {std::function<void(request&)>(wait), {test}, {wait_any}}) {
            gate all_failed(3);
            run_new_world(
                3,
                [&](communicator& world) {
                    std::vector<int> data(10, 1), more(10, 1);
                    chain pairs(world);
                    if (world.rank() == 0)
                        expect_late(fault_in_time(
                                        [&] { pairs.first.with_deadline(short_deadline).allreduce(data, tutti::sum); }),
                                    2);
                    if (world.rank() == 1) {
                        auto r = pairs.second.with_deadline(2 * short_deadline).async().allreduce(data, tutti::sum);
                        expect_late(fault_in_time([&] { how(r); }, 2 * short_deadline), 2);
                    }
                    all_failed.pass();
                },
                by);
        }
}

TEST_CASE("a rank that does not wait for its request is named itself: it is in no call") {
    gate all_failed(3);
    run_new_world(
        3,
        [&](communicator& world) {
            std::vector<int> data(10, 1), more(10, 1);
            chain pairs(world);
            if (world.rank() == 0) {
                const auto f =
                    fault_in_time([&] { pairs.first.with_deadline(short_deadline).allreduce(data, tutti::sum); });
                expect_late(f, 1);
                expect_contains(f.detail, "rank 1 has not joined the call: it answers, and is in no call");
            }
            std::optional<request> started;
            if (world.rank() == 1) started = pairs.second.async().allreduce(more, tutti::sum);
            all_failed.pass();
            if (world.rank() == 2) pairs.second.allreduce(more, tutti::sum);
        },
        tutti::progress::by_waiters);
}

TEST_CASE("within one communicator the blame passes over ranks that wait themselves") {
    gate all_failed(4);
    run_new_world(4, [&](communicator& world) {
        std::vector<int> data(20'000, 1);
        // In a chain of rings each rank waits for its left neighbour: 3 for 2, 2 for 1, 1 for 0.
        if (world.rank() != 0)
            expect_late(fault_in_time([&] {
                            world.with_deadline(short_deadline).allreduce(data, tutti::sum, tutti::algorithm::ring{});
                        }),
                        0);
        all_failed.pass();
    });
}

TEST_CASE("the deadline counts from the start of the call, not of the wait") {
    gate all_failed(2);
    run_new_world(2, [&](communicator& world) {
        std::vector<int> data(10, 1);
        if (world.rank() == 0) {
            auto r = world.with_deadline(short_deadline).async().allreduce(data, tutti::sum);
            std::this_thread::sleep_for(short_deadline);
            expect_late(fault_in_time([&] { r.wait(); }, 0ms), 1);
        }
        all_failed.pass();
    });
}

TEST_CASE("a call that waits for its turn fails at its own deadline and names who holds it up") {
    gate all_failed(2);
    run_new_world(2, [&](communicator& world) {
        std::vector<std::vector<int>> data(6, std::vector<int>(10, 1));
        if (world.rank() == 0) {
            std::vector<request> requests;
            for (std::size_t i = 0; i < 5; ++i) requests.push_back(world.async().allreduce(data[i], tutti::sum));
            auto hasty = world.with_deadline(short_deadline);
            expect_late(fault_in_time([&] { hasty.allreduce(data[5], tutti::sum); }), 1);
            for (auto& r : requests) expect_late(fault_in_time([&] { r.wait(); }, 0ms), 1);
        }
        all_failed.pass();
    });
}

TEST_CASE("testing a request that never ends fails in time as well") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        gate all_failed(2);
        run_new_world(
            2,
            [&](communicator& world) {
                std::vector<int> data(10, 1);
                if (world.rank() == 0) {
                    auto r = world.with_deadline(short_deadline).async().allreduce(data, tutti::sum);
                    expect_late(fault_in_time([&] {
                                    while (!r.test()) std::this_thread::sleep_for(1ms);
                                }),
                                1);
                }
                all_failed.pass();
            },
            by);
    }
}

TEST_CASE("the longest deadline there is can be asked for") {
    run_world(2, [](communicator& world) {
        std::vector<int> data(10, 1);
        world.with_deadline(std::chrono::nanoseconds::max()).allreduce(data, tutti::sum);
        expect(data[0] == 2, "the result");
    });
}

namespace {

/// A sum that takes so long for each pair.
auto slow_sum(std::chrono::microseconds each) {
    return [each](int a, int b) noexcept {
        const auto end = std::chrono::steady_clock::now() + each;
        while (std::chrono::steady_clock::now() < end) {
        }
        return a + b;
    };
}

} // namespace

TEST_CASE("a deadline is kept while an operator is slow, in every algorithm, and the slow result goes nowhere") {
    for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2))
        for (const bool in_place : {true, false}) {
            gate all_failed(3);
            run_new_world(3, [&](communicator& world) {
                std::vector<int> data(400'000, 1), out(data.size(), -1); // 4 s and more of work
                auto hasty = world.with_deadline(short_deadline);
                const auto f = fault_in_time([&] {
                    if (in_place)
                        hasty.allreduce(data, slow_sum(10us), how);
                    else
                        hasty.allreduce(data, out, slow_sum(10us), how);
                });
                expect(f.why == cause::timeout, "a timeout, not: " + message_of(f));
                all_failed.pass();
            });
        }
}

TEST_CASE("a deadline is kept while few elements take long") {
    gate all_failed(2);
    run_new_world(2, [&](communicator& world) {
        std::vector<int> data(60, 1);
        auto hasty = world.with_deadline(short_deadline);
        const auto f = fault_in_time([&] { hasty.allreduce(data, slow_sum(50'000us), tutti::algorithm::butterfly{}); });
        expect(f.why == cause::timeout, "a timeout, not: " + message_of(f));
        all_failed.pass();
    });
}

TEST_CASE("a deadline is kept by a slow operator that comes after quick ones of its kind") {
    for (const bool same : {false, true}) {
        gate all_failed(2);
        run_new_world(2, [&](communicator& world) {
            std::vector<int> data(200'000, 1);
            auto pause = 0us; // of each element; the operator keeps a pointer to it
            const auto quick = [](int a, int b) noexcept { return a + b; };
            const auto either = [&pause](int a, int b) noexcept { return slow_sum(pause)(a, b); };
            for (int i = 0; i < 24; ++i)
                same ? world.allreduce(data, either, tutti::algorithm::ring{})
                     : world.allreduce(data, quick, tutti::algorithm::ring{});
            pause = 100us; // 10 s of work in one step
            auto hasty = world.with_deadline(short_deadline);
            const auto f = fault_in_time([&] { hasty.allreduce(data, either, tutti::algorithm::ring{}); });
            expect(f.why == cause::timeout, "a timeout, not: " + message_of(f));
            all_failed.pass();
        });
    }
}

TEST_CASE("a slow operator on one communicator holds up no deadline on another") {
    gate all_failed(2);
    run_new_world(2, [&](communicator& world) {
        auto twin = world.duplicate();
        std::vector<int> data(200'000, 1), few(1, 1);
        auto slow = world.async().allreduce(data, slow_sum(10us), tutti::algorithm::ring{}); // 1 s on each rank
        if (world.rank() == 0) {
            auto hasty = twin.with_deadline(short_deadline);
            expect_late(fault_in_time([&] { hasty.allreduce(few, tutti::sum); }), 1);
        }
        slow.wait();
        expect(data[199'999] == 2, "the slow result");
        all_failed.pass();
    });
}

TEST_CASE("many ranks that work slowly on few cores keep their deadlines") {
    constexpr int ranks = threads_watched ? 20 : 100; // under ThreadSanitizer each takes ten times as long
    for (const tutti::algorithm::any& how :
         {tutti::algorithm::any(tutti::algorithm::ring{}), tutti::algorithm::any(tutti::algorithm::direct{})}) {
        gate all_failed(ranks);
        run_new_world(ranks, [&](communicator& world) {
            std::vector<int> data(100'000, 1);
            auto hasty = world.with_deadline(1s);
            const auto f = fault_in_time([&] { hasty.allreduce(data, slow_sum(2us), how); }, 1s); // 20 s of work
            expect(f.why == cause::timeout, "a timeout, not: " + message_of(f));
            all_failed.pass();
        });
    }
}

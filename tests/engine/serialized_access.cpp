// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/serialized_access.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <atomic>
#include <optional>
#include <thread>

using namespace tutti::test;
using namespace std::chrono_literals;
using tutti::cause;

namespace {

/// Rank 0 of two, one of whose threads is inside a barrier until `meanwhile`, on another thread, is over.
void beside_a_barrier(const body& before, const body& meanwhile) {
    std::atomic<bool> over{false};
    run_new_world(2, [&](auto& world) {
        before(world);
        if (world.rank() == 1) {
            while (!over) std::this_thread::sleep_for(1ms);
            world.barrier();
            return;
        }
        std::string failure;
        std::thread other([&] {
            try {
                std::this_thread::sleep_for(50ms); // by then this rank is inside
                meanwhile(world);
            } catch (const std::exception& e) {
                failure = e.what();
            }
            over = true;
        });
        world.barrier();
        other.join();
        if (!failure.empty()) throw std::runtime_error(failure);
    });
}

void expect_refused(const std::function<void()>& work) {
    const auto f = fault_of(work);
    expect(f.why == cause::invalid_argument, "an invalid argument, not: " + message_of(f));
    expect(f.remedy.find("progress::by_waiters") != std::string::npos, "the remedy, not: " + message_of(f));
}

} // namespace

#if defined(TUTTI_HAS_MEMBARRIER)
TEST_CASE("the fence of a whole process is asked for where a world is made, since that may take seconds") {
    const auto offered = [] { return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; };
    const bool known = (::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & MEMBARRIER_CMD_PRIVATE_EXPEDITED) > 0;
    if (offered()) return; // another test of this program has run before
    const tutti::engine::serialized_access inside;
    CHECK(offered() == known);
}
#endif

TEST_CASE("a second thread is refused in every call, on every communicator of the world") {
    std::vector<int> data(10, 1);
    std::vector<int> theirs(10, 1);
    std::optional<tutti::test::communicator> twins[2];
    std::optional<tutti::test::request> requests[2]; // end before their data: one that is dropped is waited for
    beside_a_barrier(
        [&](auto& world) {
            const auto r = static_cast<std::size_t>(world.rank());
            twins[r] = world.duplicate();
            requests[r].emplace(world.async().allreduce(r == 0 ? data : theirs, tutti::sum));
            world.barrier();
        },
        [&](auto& world) {
            int x = 0;
            for (const auto& w : {world, *twins[0]}) {
                expect_refused([&] { w.barrier(); });
                expect_refused([&] { w.allreduce(std::span(&x, 1), tutti::sum); });
                expect_refused([&] { static_cast<void>(w.async().allreduce(std::span(&x, 1), tutti::sum)); });
                expect_refused([&] { static_cast<void>(w.duplicate()); });
                expect_refused([&] { static_cast<void>(w.split(0)); });
                expect_refused([&] { w.abort("no"); });
                expect_refused([&] { static_cast<void>(w.record(10)); });
                expect_refused([&] { static_cast<void>(w.prepare().allreduce(data, tutti::sum)); });
            }
            expect_refused([&] { requests[0]->wait(); });
            expect(!requests[0]->collected(), "the request is still there");
        });
}

TEST_CASE("who was refused may call when the other thread is out, and nothing is lost") {
    run_new_world(2, [](auto& world) {
        std::atomic<int> refused{0};
        std::vector<int> data(10, 1);
        if (world.rank() == 0) {
            std::thread other([&] {
                std::this_thread::sleep_for(50ms);
                for (bool done = false; !done;) {
                    try {
                        world.allreduce(data, tutti::sum);
                        done = true;
                    } catch (const tutti::error& e) {
                        refused += e.why() == cause::invalid_argument;
                        std::this_thread::sleep_for(5ms);
                    }
                }
            });
            world.barrier();
            other.join();
        } else {
            std::this_thread::sleep_for(200ms);
            world.barrier();
            world.allreduce(data, tutti::sum);
        }
        expect(data[9] == 2, "the result");
        expect(world.rank() == 1 || refused > 0, "it was refused at first");
    });
}

TEST_CASE("destructors wait for the thread that is inside, which is not refused on their account") {
    for (int round = 0; round < 20; ++round) {
        std::optional<tutti::test::communicator> twin;
        std::atomic<bool> going{false}, gone{false}, too_soon{false};
        run_new_world(2, [&](auto& world) {
            auto mine = world.duplicate();
            if (world.rank() == 1) {
                while (!going) std::this_thread::yield();
                std::this_thread::sleep_for(5ms);
                too_soon = gone.load();
                for (int k = 0; k < 200; ++k) world.barrier();
                return;
            }
            twin.emplace(std::move(mine));
            std::thread other([&] {
                std::this_thread::sleep_for(50ms); // by then this rank is inside
                going = true;
                twin.reset();
                gone = true;
            });
            const auto failure = [&]() -> std::string {
                try {
                    for (int k = 0; k < 200; ++k) world.barrier();
                } catch (const std::exception& e) {
                    return e.what();
                }
                return {};
            }();
            other.join();
            expect(failure.empty(), "no failure: " + failure);
        });
        CHECK_FALSE(too_soon);
    }
}

TEST_CASE("with progress by waiters any thread may call") {
    run_new_world(
        2,
        [](auto& world) {
            auto twin = world.duplicate();
            std::thread other([&] {
                for (int k = 0; k < 200; ++k) twin.barrier();
            });
            for (int k = 0; k < 200; ++k) world.barrier();
            other.join();
        },
        tutti::progress::by_waiters);
}

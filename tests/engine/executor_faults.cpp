// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/milestone.hpp"
#include "support/threaded_executor.hpp"

#include <algorithm>
#include <random>

using namespace tutti::test;
using tutti::cause;
using tutti::engine::local_work;
using tutti::transport::memory_world;

namespace {

constexpr int canary = 0x5ca1ab1e;

/// Nothing touches the buffers of a call that has failed, though its executor would now be free to.
void expect_untouched(std::vector<int>& data, threaded_executor& e) {
    std::fill(data.begin(), data.end(), canary);
    expect(e.in_hand() == 0 && e.stops() > 0, "the executor was stopped");
    e.let_go();
    std::this_thread::sleep_for(30ms);
    expect(std::count(data.begin(), data.end(), canary) == static_cast<long>(data.size()), "nobody writes any more");
}

/// Waits until the executor has something to do that it does not do.
void await_work(const threaded_executor& e) {
    const auto start = std::chrono::steady_clock::now();
    while (e.in_hand() == 0) {
        expect(std::chrono::steady_clock::now() - start < patience, "it is given work");
        std::this_thread::sleep_for(1ms);
    }
}

/// Fails as it is asked to.
class broken_executor final : public tutti::engine::executor {
public:
    explicit broken_executor(bool at_start) : at_start_(at_start) {}
    bool start(const local_work&, tutti::transport::transfer&) override {
        expect(!has_failed_, "it is given nothing more");
        if (at_start_) fail();
        return false;
    }
    bool progress() override {
        if (!at_start_) fail();
        return false;
    }
    void stop(tutti::transport::transfer_queue&) noexcept override {}

private:
    [[noreturn]] void fail() {
        has_failed_ = true;
        throw std::runtime_error("the device has fallen off the bus");
    }
    bool at_start_, has_failed_ = false;
};

/// Polls for what never comes.
class polling_executor final : public tutti::engine::executor {
public:
    bool start(const local_work&, tutti::transport::transfer&) override { return false; }
    bool progress() override { return true; }
    void stop(tutti::transport::transfer_queue&) noexcept override {}
};

} // namespace

TEST_CASE("a rank whose executor does not come to its end is named to all, itself included") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters})
        for (const tutti::algorithm::any& how :
             {tutti::algorithm::any(tutti::algorithm::ring{}), tutti::algorithm::any(tutti::algorithm::butterfly{})})
            run_new_world(
                3,
                [&](communicator& world) {
                    threaded_executor e(1);
                    if (world.rank() == 1) e.hold();
                    std::vector<int> data(3000, 1);
                    world.barrier(); // who comes late would be blamed as well
                    const auto f = fault_in_time(
                        [&] { world.with_executor(e).with_deadline(short_deadline).allreduce(data, tutti::sum, how); });
                    expect(f.why == cause::timeout && f.peer == 1, "a timeout of rank 1, not: " + message_of(f));
                    expect_contains(f.detail,
                                    "rank 1 is inside the call and waits for nobody: its own work is not done");
                    if (world.rank() == 1) expect_untouched(data, e);
                    if (world.rank() == 1) expect(f.step >= 0, "the step that the executor has");
                    expect_unusable(world, f);
                },
                by);
}

TEST_CASE("a rank that is alone is told so of its own executor, be it the last stage that hangs") {
    run_new_world(1, [](communicator& world) {
        threaded_executor e(2);
        e.hold();
        std::vector<double> data(10, 1);
        const auto f = fault_in_time(
            [&] { world.with_executor(e).with_deadline(short_deadline).allreduce(data, tutti::average); });
        expect(f.why == cause::timeout && f.peer == 0 && f.step == -1, "a timeout of its own: " + message_of(f));
        expect_contains(f.detail, "its own work is not done");
        expect(e.in_hand() == 0, "it was stopped");
    });
}

TEST_CASE("an abort and a rank that dies stop the work first") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters})
        for (const bool dies : {false, true}) {
            const auto fabric = memory_world::create(3);
            milestone has_work;
            gate all_failed(3);
            run_new_world(
                3,
                [&](communicator& world) {
                    threaded_executor e(static_cast<unsigned>(world.rank()));
                    std::vector<int> data(30'000, 1);
                    if (world.rank() == 2) {
                        has_work.await("rank 0 has work");
                        if (dies) fabric->kill(2);
                        if (!dies) world.abort("enough of this");
                        return all_failed.pass();
                    }
                    e.hold();
                    // Rank 0 reduces what has come from rank 1.
                    auto r = world.with_executor(e).async().allreduce(data, tutti::sum, tutti::algorithm::naive{});
                    std::thread watch([&] {
                        if (world.rank() != 0) return;
                        await_work(e);
                        has_work.reach();
                    });
                    const auto f = fault_of([&] { r.wait(); });
                    watch.join();
                    all_failed.pass();
                    expect(f.why == (dies ? cause::lost_peer : cause::aborted) && f.peer == 2, message_of(f));
                    if (world.rank() == 0) expect_untouched(data, e);
                },
                by, fabric);
        }
}

TEST_CASE("memory may go as soon as a call has failed, whatever its executor was at") {
    for (unsigned seed = 1; seed <= 40; ++seed)
        run_new_world(3, [&](communicator& world) {
            std::minstd_rand random(seed * 3 + static_cast<unsigned>(world.rank()));
            threaded_executor e(seed + static_cast<unsigned>(world.rank()), 200us);
            const auto mine = world.with_executor(e);
            const auto stop_at = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 6000);
            const auto all = tutti::algorithm::all(tutti::schedule::operation::allreduce, 2);
            const auto f = fault_of([&] {
                for (unsigned k = seed;; ++k) {
                    const auto data = std::make_unique<std::vector<float>>(5000, 1.0F); // ASan sees who is late
                    auto r = mine.async().allreduce(*data, tutti::average, all[k % all.size()]);
                    if (world.rank() == static_cast<int>(seed % 3) && std::chrono::steady_clock::now() >= stop_at)
                        world.abort("it is time");
                    r.wait();
                }
            });
            expect(f.why == cause::aborted, message_of(f));
            expect(e.in_hand() == 0, "nothing is left");
        });
}

TEST_CASE("an executor that throws ends the call on all ranks, in its words") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters})
        for (const bool at_start : {true, false})
            run_new_world(
                3,
                [&](communicator& world) {
                    broken_executor e(at_start);
                    std::vector<int> data(1000, 1);
                    const auto mine = world.rank() == 1 ? world.with_executor(e) : world;
                    const auto f = fault_in_time([&] { mine.allreduce(data, tutti::sum, tutti::algorithm::ring{}); });
                    expect(f.why == cause::aborted && f.peer == 1, "an abort of rank 1, not: " + message_of(f));
                    expect_contains(message_of(f), "the executor of rank 1 has failed in allreduce(ring)");
                    expect_contains(message_of(f), "the device has fallen off the bus");
                    expect_unusable(world, f);
                },
                by);
}

TEST_CASE("a communicator whose calls have failed leaves the executor to others") {
    run_new_world(2, [](communicator& world) {
        threaded_executor e(5);
        auto other = world.duplicate().with_executor(e);
        const auto mine = world.with_executor(e);
        std::vector<int> data(1000, 1), more(1000, 1);
        e.hold();
        auto kept = other.async().allreduce(more, tutti::sum, tutti::algorithm::ring{});
        const auto f = fault_of([&] { mine.with_deadline(short_deadline).allreduce(data, tutti::sum); });
        expect(f.why == cause::timeout, message_of(f));
        e.let_go();
        kept.wait();
        expect(more[0] == 2 && more[999] == 2, "its result");
    });
}

TEST_CASE(
    "an executor that wants to be asked again hides neither deadlines nor verdicts, however the call is waited for") {
    for (const bool tests : {true, false})
        run_new_world(2, [&](communicator& world) {
            polling_executor e;
            std::vector<int> data(1000, 1);
            const auto mine = world.rank() == 0 ? world.with_executor(e) : world;
            const auto f = fault_in_time([&] {
                auto r =
                    mine.with_deadline(short_deadline).async().allreduce(data, tutti::sum, tutti::algorithm::ring{});
                const auto start = std::chrono::steady_clock::now();
                while (tests && std::chrono::steady_clock::now() - start < patience && !r.test()) {
                }
                r.wait();
            });
            expect(f.why == cause::timeout && f.peer == 0, message_of(f));
        });
}

TEST_CASE("all communicators fail whose work an executor has that is of no use any more") {
    run_new_world(2, [](communicator& world) {
        class dead final : public tutti::engine::executor {
        public:
            bool start(const local_work&, tutti::transport::transfer&) override { return false; }
            bool progress() override { throw 1; }
            void stop(tutti::transport::transfer_queue&) noexcept override {}
        } e;
        const auto other = world.duplicate();
        std::vector<int> data(1000, 1), more(1000, 1);
        const auto fails = [&](const communicator& on, std::vector<int>& what) {
            const auto mine = world.rank() == 0 ? on.with_executor(e) : on;
            return fault_in_time([&] { mine.allreduce(what, tutti::sum, tutti::algorithm::ring{}); });
        };
        for (const auto& f : {fails(world, data), fails(other, more)}) {
            expect(f.why == cause::aborted && f.peer == 0, message_of(f));
            expect_contains(message_of(f), "it does not say why");
        }
    });
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/milestone.hpp"

#include <atomic>
#include <new>
#include <system_error>
#include <vector>

using namespace tutti::test;
using tutti::cause;
namespace transport = tutti::transport;

namespace {

enum class member { second_send, progress, wait, broken };

/// What goes wrong on one rank. The threads that call set it, the one that drives reads it.
struct plan_of_faults {
    explicit plan_of_faults(member at) : where(at) {}
    const member where;
    std::atomic<bool> armed{false};
    std::atomic<int> sends{0}; ///< while armed
    milestone is_driven;       ///< after its first send
};

/// Memory that throws on a rank with a plan.
class throwing : public transport::memory {
public:
    throwing(std::shared_ptr<transport::memory_world> in, int rank, plan_of_faults* plan)
        : memory(std::move(in), rank), plan_(plan) {}

    void send(channel& h, transport::transfer& x) {
        if (is_armed() && ++plan_->sends == 2 && plan_->where == member::second_send)
            throw std::system_error(EMFILE, std::generic_category(), "no socket");
        memory::send(h, x);
    }
    bool progress() {
        if (is_armed() && plan_->sends > 0) plan_->is_driven.reach();
        if (throws_in(member::progress)) throw std::bad_alloc();
        return memory::progress();
    }
    void wait(transport::clock::time_point until) {
        if (throws_in(member::wait)) throw std::runtime_error("the device is on fire");
        memory::wait(until);
    }
    [[nodiscard]] std::optional<std::string> broken(int peer) {
        if (throws_in(member::broken)) throw std::runtime_error("the device is on fire");
        return memory::broken(peer);
    }

private:
    [[nodiscard]] bool is_armed() const { return plan_ && plan_->armed; }
    [[nodiscard]] bool throws_in(member m) const { return is_armed() && plan_->where == m; }
    plan_of_faults* plan_;
};

using throwing_world = tutti::communicator<throwing>;

void run_throwing(int size, int victim, plan_of_faults& plan, tutti::progress by,
                  const std::function<void(throwing_world&)>& work) {
    const auto memory = transport::memory_world::create(size);
    run_ranks(size, [&](int rank) {
        throwing_world world{throwing{memory, rank, rank == victim ? &plan : nullptr}, by};
        world.default_deadline(5s);
        work(world);
    });
}

/// The work ends at once, though its deadline is far.
void expect_aborted(int by, const std::string& words, const std::function<void()>& work) {
    const auto f = fault_in_time(work, 2s);
    expect(f.why == cause::aborted && f.peer == by, "an abort by that rank, not: " + message_of(f));
    expect_contains(message_of(f), "rank " + std::to_string(by) + " could not go on with " + words);
}

} // namespace

TEST_CASE("a transport that throws in a send amid a call ends the communicator on all ranks, and no other") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        plan_of_faults plan{member::second_send};
        run_throwing(4, 2, plan, by, [&](throwing_world& world) {
            const auto twin = world.duplicate();
            std::vector<int> data(10, 1);
            if (world.rank() == 2)
                plan.armed = true;
            else
                plan.is_driven.await("rank 2 waits for its second step");
            for (int again = 0; again < 2; ++again)
                expect_aborted(2, "allreduce(butterfly)", [&] {
                    world.allreduce(data, tutti::sum, tutti::algorithm::butterfly{}); // which some can end
                    world.barrier();
                });
            std::vector<int> fresh(10, 1);
            twin.allreduce(fresh, tutti::sum);
            expect(fresh[9] == 4, "the other communicator goes on");
        });
    }
}

TEST_CASE("a transport that throws in the second part of a message ends the communicator on all ranks") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        plan_of_faults plan{member::second_send}; // the first announces the message
        run_throwing(3, 0, plan, by, [&](throwing_world& world) {
            std::vector<int> data(100'000, 1);
            if (world.rank() == 0)
                plan.armed = true;
            else
                plan.is_driven.await("rank 0 waits for the receive");
            expect_aborted(0, "send of 100000 int32 to rank 1", [&] {
                if (world.rank() == 0) world.send(data, 1);
                if (world.rank() == 1) world.receive(data, 0);
                world.barrier();
            });
        });
    }
}

TEST_CASE("a transport that throws in whatever drives it ends all that is under way, and nothing else") {
    for (const auto where : {member::progress, member::wait, member::broken})
        for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
            plan_of_faults plan{where};
            milestone failed;
            run_throwing(3, 1, plan, by, [&](throwing_world& world) {
                const auto twin = world.duplicate(), idle = world.duplicate();
                int x = 0;
                std::vector<int> data(10, 1);
                if (world.rank() == 1) {
                    auto message = world.async().receive(x, 0);
                    auto call = twin.async().allreduce(data, tutti::sum, tutti::algorithm::butterfly{});
                    plan.armed = true;
                    expect_aborted(1, "receive of 1 int32 from rank 0", [&] { message.wait(); });
                    expect_aborted(1, "allreduce(butterfly)", [&] { call.wait(); });
                    plan.armed = false;
                    failed.reach();
                }
                failed.await("rank 1 has failed");
                expect_aborted(1, "receive of 1 int32 from rank 0", [&] { world.barrier(); });
                expect_aborted(1, "allreduce(butterfly)", [&] { twin.barrier(); });
                idle.barrier();
            });
        }
}

TEST_CASE("a rank whose transport throws at each round tests its requests in vain, and leaves") {
    plan_of_faults plan{member::progress};
    run_throwing(2, 1, plan, tutti::progress::in_calls, [&](throwing_world& world) {
        std::vector<int> data(10, 1);
        const auto start = [&] { return world.async().allreduce(data, tutti::maximum, tutti::algorithm::butterfly{}); };
        if (world.rank() == 1) {
            plan.armed = true;
            auto call = start();
            expect_aborted(1, "allreduce(butterfly)", [&] {
                while (!call.test()) {
                }
                call.wait();
            });
        } else {
            plan.is_driven.await("rank 1 waits for rank 0");
            expect_aborted(1, "allreduce(butterfly)", [&] {
                for (;;) start().wait(); // it has what it needs for the first
            });
        }
    });
}

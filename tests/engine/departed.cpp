// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/milestone.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace tutti::test;
using tutti::cause;

namespace {

/// Memory whose rank 1 looks for notices only when rank 0 has left, once it has looked in vain for long.
class held_up : public tutti::transport::memory {
public:
    held_up(std::shared_ptr<tutti::transport::memory_world> world, int rank, milestone& waits, milestone& gone)
        : memory(std::move(world), rank), rank_(rank), waits_(&waits), gone_(&gone) {}

    bool fetch(tutti::transport::notice& n) {
        const auto now = std::chrono::steady_clock::now();
        if (++looks_ == 5) begun_ = now; // it stalls by then
        if (rank_ == 1 && looks_ > 5 && !waits_->reached() && now > begun_ + 2 * tutti::engine::stall_before_fault) {
            waits_->reach();
            gone_->await("rank 0 leaves");
        }
        return memory::fetch(n);
    }

private:
    int rank_;
    milestone *waits_, *gone_;
    int looks_ = 0;
    std::chrono::steady_clock::time_point begun_{};
};

} // namespace

TEST_CASE("waiting for a rank that has left in good order ends long before the deadline, on every rank") {
    for (const int leaver : {0, 2})
        run_new_world(4, [&](communicator& world) {
            std::vector<int> data(1000, 1);
            world.allreduce(data, tutti::sum);
            if (world.rank() == leaver) return;
            const auto f = fault_in_time([&] { world.allreduce(data, tutti::sum); }); // its deadline: 30 s
            expect(f.why == cause::lost_peer, "a lost peer, not: " + message_of(f));
            expect(f.peer == leaver, "the rank that has left, not: " + message_of(f));
            expect_contains(message_of(f), "has left");
            expect_unusable(world, f);
        });
}

TEST_CASE("what a rank had sent before it left still counts") {
    run_new_world(3, [](communicator& world) {
        std::vector<int> data(300, world.rank() == 0 ? 7 : 0);
        if (world.rank() == 2) std::this_thread::sleep_for(300ms); // rank 0 is gone by then
        world.broadcast(data, 0, tutti::algorithm::binomial_tree{});
        expect(data[299] == 7, "the data of the rank that has left");
    });
}

TEST_CASE("so does what it sent after a rank looked for messages, and before that one heard that it has left") {
    milestone waits, gone;
    run_ranks(3, [&, fabric = tutti::transport::memory_world::create(3)](int rank) {
        std::optional<tutti::communicator<held_up>> world(std::in_place, held_up{fabric, rank, waits, gone});
        std::vector<int> data(3, 7);
        if (rank == 0) waits.await("rank 1 waits");
        if (rank > 0) world->receive(data, rank - 1);
        if (rank == 1) std::this_thread::sleep_for(300ms); // rank 2 hears of what rank 1 has told of rank 0, if it has
        if (rank < 2) world->send(data, rank + 1);
        world.reset();
        if (rank == 0) gone.reach();
    });
}

TEST_CASE("communicators without the rank that has left go on") {
    run_new_world(3, [](communicator& world) {
        auto pair = world.split(world.rank() == 2 ? 1 : 0);
        if (world.rank() == 2) return;
        std::this_thread::sleep_for(300ms);
        std::vector<int> data(1000, 1);
        for (int k = 0; k < 10; ++k) pair.allreduce(data, tutti::maximum);
        pair.barrier();
    });
}

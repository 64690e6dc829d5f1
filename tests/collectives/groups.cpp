// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

using namespace tutti::test;

TEST_CASE("groups that their members make alone, as a seed draws, reduce among these, whatever others do") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    for (const int size : {1, 2, 5, 8})
        run_world(size, [=](communicator& world) {
            std::minstd_rand random(seed);
            std::deque<communicator> kept;
            std::deque<int> sums, wanted;
            std::vector<request> requests;
            for (int k = 0; k < 40; ++k) {
                std::vector<int> ranks(static_cast<std::size_t>(size));
                std::iota(ranks.begin(), ranks.end(), 0);
                std::shuffle(ranks.begin(), ranks.end(), random);
                ranks.resize(1 + random() % ranks.size());
                const int tag = static_cast<int>(random() % 3);
                const auto mine = std::find(ranks.begin(), ranks.end(), world.rank());
                if (mine == ranks.end()) continue;
                kept.push_back(world.of(ranks, tag));
                const communicator& group = kept.back();
                expect(group.size() == static_cast<int>(ranks.size()), "its size");
                expect(group.rank() == mine - ranks.begin() && group.world_rank(0) == ranks[0], "its ranks, in order");
                wanted.push_back(std::accumulate(ranks.begin(), ranks.end(), 0));
                sums.push_back(world.rank());
                requests.push_back(group.async().allreduce(std::span(&sums.back(), 1), tutti::sum));
            }
            wait_all(requests);
            expect(sums == wanted, "the sum of each group");
            world.barrier();
        });
}

TEST_CASE("a group is made again of the same ranks, and of a group") {
    run_world(4, [](communicator& world) {
        if (world.rank() == 3) return;
        const std::vector<int> ranks{2, 0, 1};
        const auto first = world.of(ranks), second = world.of(ranks);
        const int before = world.rank();
        auto r = first.async().barrier();
        expect(second.allreduce(before, tutti::sum) == 3, "the second, while the first one's call goes on");
        r.wait();
        if (world.rank() == 1) return;
        const auto pair = first.of({1, 0}, 4); // ranks 0 and 2 of the world
        expect(pair.world_rank(0) == 0 && pair.allreduce(before, tutti::sum) == 2, "of a group");
    });
}

TEST_CASE("a group is made where its communicator has failed") {
    run_world(3, [](communicator& world) {
        const auto failed = world.duplicate();
        if (world.rank() == 2) failed.abort("no more");
        const auto f = fault_of([&] { failed.barrier(); });
        expect(f.why == tutti::cause::aborted, f.detail);
        if (world.rank() < 2) expect(failed.of({1, 0}).allreduce(1, tutti::sum) == 2, "the two go on");
        world.barrier();
    });
}

TEST_CASE("ranks that make no group are told, and members that disagree by the names of both") {
    run_world(3, [](communicator& world) {
        const auto refused = [&](std::vector<int> ranks, const std::string& why) {
            const auto f = fault_of([&] { static_cast<void>(world.of(ranks)); });
            expect(f.why == tutti::cause::invalid_argument && f.detail.find(why) != std::string::npos, f.detail);
        };
        refused({world.rank(), 3}, "there is no rank 3 among 3");
        refused({world.rank(), -1}, "there is no rank -1");
        refused({world.rank(), world.rank()}, "named twice");
        refused({(world.rank() + 1) % 3}, "none of its ranks");
        refused({}, "none of its ranks");
        if (world.rank() < 2) {
            const auto group = world.rank() == 0 ? world.of({0, 1}, 5) : world.of({0, 1, 2}, 5);
            const auto f = fault_of([&] { group.with_deadline(std::chrono::milliseconds(200)).barrier(); });
            const std::string text = f.operation + f.detail;
            expect(text.find("group with tag 5 of ranks 0 1") != std::string::npos &&
                       text.find("group with tag 5 of ranks 0 1 2") != std::string::npos,
                   text);
            expect(f.remedy.find("and the same tag, as often") != std::string::npos, f.remedy);
            if (world.rank() == 0) static_cast<void>(world.of({0, 1}, 6));
            const auto more = fault_of([&] {
                world.of({0, 1}, 6).with_deadline(std::chrono::milliseconds(200)).barrier();
            });
            expect(more.detail.find("group with tag 6 of ranks 0 1, number 2") != std::string::npos, more.detail);
        }
        world.barrier();
    });
}

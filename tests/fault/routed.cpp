// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/routed.hpp>

#include "victims.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// The first half of the ranks on one pretended host, the others on another.
constexpr auto over_two_hosts = [](int rank, int ranks, const reserved_port& at) {
    communicator world{
        transport::routed<transport::shared_memory, transport::tcp>{identity_on(2 * rank / ranks, rank, ranks, at)}};
    world.default_deadline(deadline);
    return world;
};

} // namespace

TEST_CASE("over two hosts a killed rank is named in time by those of its host and by the others") {
    const int ranks = GENERATE(2, 4);
    for (int victim = 0; victim < ranks; ++victim) kill_at_random_moments(over_two_hosts, ranks, victim, 4);
}

TEST_CASE("over two hosts a rank killed in a hierarchical allreduce is named in time") {
    for (int victim = 0; victim < size; ++victim)
        for (const int pause_ms : {1, 9, 23}) {
            CAPTURE(victim, pause_ms);
            kill_one(over_two_hosts, size, victim, std::chrono::milliseconds{pause_ms},
                     algorithm::by_name("hierarchical:halving_doubling:halving_doubling", 2));
        }
}

TEST_CASE("over two hosts a stopped rank is named in time, and learns when it goes on") {
    for (int victim = 0; victim < size; ++victim) {
        CAPTURE(victim);
        stop_one(over_two_hosts, size, victim);
    }
}

TEST_CASE("over two hosts an abort reaches everyone, asleep or outside") { abort_by_one(over_two_hosts, size); }

TEST_CASE("over two hosts ranks may leave at different times, when all that they had to give is given") {
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        const auto world = over_two_hosts(rank, size, at);
        std::vector<int> data(100'000);
        for (int k = 0; k < 10; ++k) {
            if (rank == k % size) data.assign(data.size(), k + 1);
            world.broadcast(data, k % size);
        }
        std::this_thread::sleep_for(rank * 100ms);
        expect(data == std::vector<int>(data.size(), 10), "the last broadcast");
    });
    check_ended(ranks);
}

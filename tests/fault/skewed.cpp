// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Ranks that are seconds apart when one of them leaves.

#include "ranks.hpp"

#include "support/captured_stderr.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Less than a channel keeps without a receive, and than the sender's kernel keeps; several times what the receiver's
/// kernel takes in of what its program does not read (tcp_rmem: 128 KiB at first, on most systems).
constexpr std::size_t much = 700'000;

[[nodiscard]] world_of_processes join_widely(int rank, int size, const reserved_port& at) {
    transport::tcp_limits limits;
    limits.window_bytes = 1'000'000;
    return join(rank, size, at, limits);
}

/// Rank 0 sends to all others and leaves; they come when they have slept.
void broadcast_and_leave(const world_of_processes& world, std::chrono::milliseconds skew) {
    std::vector<char> data(much, world.rank() == 0 ? 'x' : '-');
    world.barrier();
    if (world.rank() != 0) std::this_thread::sleep_for(skew);
    world.broadcast(data, 0, algorithm::naive{});
    expect(data == std::vector<char>(much, 'x'), "all that was sent arrives");
}

} // namespace

TEST_CASE("what a rank has sent arrives though it leaves seconds before the others receive it") {
    for (const int ranks_of_world : {2, 5}) {
        CAPTURE(ranks_of_world);
        const reserved_port at;
        processes ranks(ranks_of_world, [&](int rank, account&) {
            auto world = join_widely(rank, ranks_of_world, at);
            world.default_deadline(30s);
            broadcast_and_leave(world, 3s);
        });
        check_ended(ranks);
    }
}

TEST_CASE(
    "a rank that leaves says what may be lost when the deadline of its last call has passed, and waits no longer") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const captured_stderr said;
        const moment begun = std::chrono::steady_clock::now();
        {
            const auto world = join_widely(rank, 2, at);
            // It comes late. The kernel of a rank that is gone may deliver the rest, or not: all comes, or an error.
            if (rank == 1)
                static_cast<void>(fails(mine, [&] { broadcast_and_leave(world, deadline + beyond + 1s); }));
            else
                broadcast_and_leave(world, 0s);
        }
        if (rank == 1) return;
        const auto took = std::chrono::steady_clock::now() - begun;
        const std::string text = said.text();
        expect(took >= deadline && took <= deadline + beyond + 2s, "it stays until the deadline");
        expect(text.find("tutti: rank 0 has left, and ") == 0, "it says what may be lost: " + text);
        expect(text.find(" bytes that it had sent to rank 1 may be lost") != std::string::npos, "and whose it was");
    });
    check_ended(ranks);
    const auto& late = ranks.of(1);
    if (late.errors > 0) CHECK(late.error[0].message.str().find("rank 0 has left") != std::string::npos);
}

TEST_CASE("after a failure a rank leaves at once") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        auto world = std::make_unique<world_of_processes>(join_widely(rank, 3, at));
        world->default_deadline(30s);
        world->barrier();
        std::vector<char> data(much);
        if (rank == 2) world->abort("enough");
        const auto call = [&] { rank == 0 ? world->broadcast(data, 0, algorithm::naive{}) : world->barrier(); };
        if (rank != 1) expect(fails(mine, call) || fails(mine, call), "the communicator has failed");
        if (rank == 1) std::this_thread::sleep_for(4s); // takes nothing, and leaves after the others
        const moment leaving = std::chrono::steady_clock::now();
        world.reset();
        if (rank == 2) expect(std::chrono::steady_clock::now() - leaving < 2s, "nobody waits for what nobody needs");
    });
    check_ended(ranks);
}

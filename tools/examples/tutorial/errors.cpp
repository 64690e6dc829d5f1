// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

/// Rank 1 does what the first argument says; the second one is the deadline in seconds.
int main(int argc, char** argv) try {
    tutti::communicator world{tutti::transport::tcp::from_environment()};
    world.default_deadline(std::chrono::seconds(argc > 2 ? std::atoi(argv[2]) : 2)); // 30 s unless set
    const std::string_view fault = world.rank() == 1 && argc > 1 ? argv[1] : "";

    if (fault == "die") std::_Exit(7);
    if (fault == "late") std::this_thread::sleep_for(std::chrono::seconds(4));
    std::vector<int> data(fault == "differ" ? 999 : 1000, 1);
    world.allreduce(data, tutti::sum);
    if (fault == "abort") world.abort("the disk is full");
    world.barrier(); // at the end, so that each rank hears of what went wrong before
} catch (const tutti::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return e.why() == tutti::cause::timeout ? 75 : 1; // a scheduler may try again what ends with 75
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The other tests link the compiled library. This program is made of headers alone, in two units: it links, and its
// ranks compute the right sum. Exits 0 if so.
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// In the other unit: an allgather over the same transport.
std::vector<int> gathered(const tutti::communicator<tutti::transport::memory>& world);
/// What ends a world of one rank over TCP, which needs a rendezvous; empty where nothing does.
std::string fault_of_lone_rank();

namespace {

std::atomic<int> right{0};

void work(const std::shared_ptr<tutti::transport::memory_world>& fabric, int rank) {
    const tutti::communicator world{tutti::transport::memory{fabric, rank}};
    std::vector<float> data(1000, static_cast<float>(rank + 1));
    world.allreduce(data, tutti::sum);
    if (data == std::vector<float>(1000, 3) && gathered(world) == std::vector<int>{0, 1}) ++right;
}

} // namespace

int main(int, char** words) {
    ::setenv("TUTTI_RANK", "0", 1);
    ::setenv("TUTTI_SIZE", "1", 1);
    const auto fabric = tutti::transport::memory_world::create(2);
    std::thread other(work, fabric, 1);
    work(fabric, 0);
    other.join();
    const bool hosts = words[1] == std::string_view("with");
    const bool told = fault_of_lone_rank().find("write #include <tutti/transport/rendezvous.hpp>") != std::string::npos;
    return right == 2 && (hosts ? fault_of_lone_rank().empty() : told) ? 0 : 1;
}

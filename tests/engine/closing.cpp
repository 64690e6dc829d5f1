// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/world.hpp"

#include <cstdio>

#include <unistd.h>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;

namespace {

/// What is printed on standard error while `work` runs.
std::string printed_by(const std::function<void()>& work) {
    std::FILE* const file = std::tmpfile();
    std::fflush(stderr);
    const int kept = ::dup(2);
    ::dup2(::fileno(file), 2);
    work();
    std::fflush(stderr);
    ::dup2(kept, 2);
    ::close(kept);
    std::string text(static_cast<std::size_t>(::lseek(::fileno(file), 0, SEEK_END)), '\0');
    const auto got = ::pread(::fileno(file), text.data(), text.size(), 0);
    std::fclose(file);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

/// Ranks that are threads, over any transport; each leaves in good order.
template <class Transport>
void run(int size, const auto& work) {
    if constexpr (std::is_same_v<Transport, tutti::transport::memory>) {
        run_new_world(size, [&](auto& world) { work(world); });
    } else {
        const reserved_port at;
        run_ranks(size, [&](int rank) {
            const tutti::communicator world{Transport{identity(rank, size, at)}};
            work(world);
        });
    }
}

void broadcast(const auto& world, int root) {
    std::vector<int> data(4, 1);
    world.broadcast(data, root, algorithm::binomial_tree{});
}

constexpr const char* complaint = "tutti: mismatch at the end of a communicator: ";
std::size_t complaints(const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(complaint, at)) != text.npos; ++at) ++count;
    return count;
}

template <class Transport>
void check_last_call() {
    const auto text = printed_by([] {
        run<Transport>(2, [](const auto& world) {
            world.barrier();
            broadcast(world, world.rank()); // both are roots, and return
        });
    });
    INFO(text);
    CHECK(complaints(text) == 1);
    for (const int root : {0, 1}) {
        const auto call = "rank " + std::to_string(root) +
                          " made 2 calls, the last of them broadcast(binomial_tree) of "
                          "4 int32, root " +
                          std::to_string(root);
        CHECK(text.find(call) != std::string::npos);
    }
}

} // namespace

TEST_CASE("last calls that did not match are told on standard error, over each transport") {
    check_last_call<tutti::transport::memory>();
    check_last_call<tutti::transport::shared_memory>();
}

TEST_CASE("a call that one rank made more is told, on a communicator that was closed before as well") {
    const auto text = printed_by([] {
        run<tutti::transport::memory>(3, [](auto& world) {
            {
                auto twin = world.duplicate();
                twin.barrier();
                if (world.rank() == 0) broadcast(twin, 0);
            }
            world.barrier();
        });
    });
    INFO(text);
    CHECK(complaints(text) == 1);
    CHECK(text.find("rank 0 made 2 calls") != std::string::npos);
}

TEST_CASE("so they are where one of them fails by a peer that has left with another call") {
    const auto text = printed_by([] {
        run<tutti::transport::tcp>(4, [](const auto& world) {
            if (world.rank() != 1) return broadcast(world, 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            try {
                broadcast(world, 1); // to rank 3, with which it has no connection yet, and which has left
            } catch (const tutti::error& e) {
                expect(e.why() == tutti::cause::lost_peer || e.why() == tutti::cause::mismatch, e.what());
            }
        });
    });
    INFO(text);
    CHECK(complaints(text) == 1);
    CHECK(text.find("rank 1 made 1 call, broadcast(binomial_tree) of 4 int32, root 1") != std::string::npos);
}

TEST_CASE("what matched, and what has failed with an exception, is not told") {
    const auto text = printed_by([] {
        for (const int size : {1, 2, 5})
            run<tutti::transport::memory>(size, [](auto& world) {
                for (int k = 0; k < 20; ++k) broadcast(world, k % world.size());
                auto half = world.split(world.rank() % 2);
                half.barrier();
                world.barrier();
            });
        gate all_failed(2);
        run<tutti::transport::memory>(2, [&](auto& world) {
            broadcast(world, world.rank());
            const auto f = fault_of([&] { world.barrier(); });
            expect(f.why == tutti::cause::mismatch, "a mismatch");
            all_failed.pass();
        });
    });
    CHECK(text.empty());
}

TEST_CASE("more communicators than are remembered are closed, and the last ones are compared") {
    const auto text = printed_by([] {
        run<tutti::transport::memory>(2, [](auto& world) {
            for (int k = 0; k < 600; ++k) {
                auto twin = world.duplicate();
                twin.barrier();
                if (k >= 598) broadcast(twin, world.rank());
            }
        });
    });
    INFO(text);
    CHECK(complaints(text) == 2);
}

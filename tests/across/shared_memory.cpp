// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include <transport/shared_memory.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/identity.hpp"
#include "support/processes.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

using namespace tutti;
using namespace tutti::test;

TEST_CASE("any sequence of calls over shared memory gives the bits of the serial reference") {
    const auto [size, steps] = GENERATE(std::pair{2, 500}, std::pair{4, 500}, std::pair{7, 150});
    // Everything that is large enough is lent; or nothing is, as where no rank can read another's memory.
    const std::size_t lend_bytes = GENERATE(std::size_t{64 * 1024}, std::size_t{2048}, std::size_t{1} << 40);
    CAPTURE(size, lend_bytes);
    const reserved_port at;
    processes ranks(size, [&, size = size, steps = steps](int rank, account&) {
        const communicator world{transport::shared_memory{identity(rank, size, at), {.lend_bytes = lend_bytes}}};
        sequence(world, 2026).run(steps);
    });
    check_ended(ranks);
}

TEST_CASE("so it does over shared memory where every other rank has an executor") {
    const int size = 3;
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        run_with_executors(communicator{transport::shared_memory{identity(rank, size, at)}}, 11, 200);
    });
    check_ended(ranks);
}

TEST_CASE("long messages come out of memory that the kernel does not read for others, and out of any other") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const communicator world{transport::shared_memory{identity(rank, 2, at)}};
        constexpr std::size_t most = std::size_t{1} << 18;
        std::vector<int> mine(most), got(most);
        std::span<int> secret;
        const auto file = static_cast<int>(::syscall(SYS_memfd_secret, 0)); // not every system has it
        if (file >= 0 && ::ftruncate(file, most * sizeof(int)) == 0)
            if (void* const at_all = ::mmap(nullptr, most * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
                at_all != MAP_FAILED)
                secret = {static_cast<int*>(at_all), most};
        if (file >= 0) ::close(file);
        std::mt19937 draw(51); // the same on both ranks
        for (int k = 0; k < 300; ++k) {
            const std::size_t n = most >> draw() % 5 | draw() % 1000;
            const bool is_secret = draw() % 2 == 0;
            const std::span<int> out =
                (is_secret && !secret.empty() ? secret : std::span(mine)).first(std::min(n, most));
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = k * 1000 + rank + static_cast<int>(i);
            const std::span<int> in = std::span(got).first(out.size());
            auto coming = world.async().receive(in, 1 - rank);
            world.send(out, 1 - rank);
            coming.wait();
            for (std::size_t i = 0; i < in.size(); i += 97)
                expect(in[i] == k * 1000 + 1 - rank + static_cast<int>(i), "it is the peer's message");
            if (k % 3 == 0) world.broadcast(in, k % 2);
        }
    });
    check_ended(ranks);
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "worlds.hpp"

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/run_ranks.hpp"
#include "transport/cuda_ipc/device_results.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Every algorithm and operation on device memory, by ranks of two hosts, in turn in memory of either kind. A sanitizer
/// sees some of them.
template <class World>
void give_the_hosts_bits(int ranks) {
    const reserved_port at;
    run_ranks(ranks, [&](int rank) {
        const tutti::communicator world{on_two_hosts<World>(rank, ranks, at)};
        fake_executor e(fake_cuda(-1), world);
        int turn = 0;
        for (const auto& how : algorithm::all(ranks / 2)) {
            if (++turn % 7 != 0 && sanitized) continue;
            const place where = turn % 2 == 0 ? place::device : place::slab;
            expect_as_on_the_host<float>(world, e, how, 100, sum, {false}, {where});
        }
        expect_as_on_the_host<std::int32_t>(world, e, algorithm::ring{}, effort(20'003), maximum, {true});
        expect_as_on_the_host<float>(world, e, algorithm::double_binary_tree{}, effort(200'001), average, {false},
                                     {place::device});
    });
}

} // namespace

TEST_CASE("over staged TCP, collectives on device memory give the host's bits") {
    CHECK_NOTHROW(give_the_hosts_bits<fake_staged>(3));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("over CUDA IPC within two hosts and staged TCP between them, collectives give the host's bits") {
    CHECK_NOTHROW(give_the_hosts_bits<fake_routed>(4));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("where all is chosen by the library, ranks of two hosts train on device memory") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(4, [&](int rank) {
        const tutti::communicator world{on_two_hosts<fake_routed>(rank, 4, at)};
        fake_executor e(fake_cuda(-1), world);
        const auto handle = world.with_executor(e);
        const placed_elements<float> slab(world, place::slab, 600'000), device(world, place::device, 1000);
        std::fill(slab.there().begin(), slab.there().end(), 1.0F);
        std::fill(device.there().begin(), device.there().end(), 1.0F);
        auto plan = handle.prepare().allreduce(slab.seen(), sum);
        for (int i = 0; i < 3; ++i) {
            auto r = handle.async().allreduce(device.seen(), sum);
            plan.run();
            r.wait();
        }
        expect(slab.there()[599'999] == 64.0F && device.there()[999] == 64.0F, "sums");
    }));
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Stream-ordered calls of ranks on several devices, which the host makes.
#include "device_world.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>

#include "support/catch.hpp"
#include "support/fake_stream_kernels.hpp"
#include "support/identity.hpp"
#include "support/ordered_data.hpp"
#include "support/run_ranks.hpp"
#include "support/world.hpp"

#include <random>

using namespace tutti;
using namespace tutti::test;
using namespace std::chrono_literals;

namespace {

struct kernels_of_both : fake_stream_kernels, fake_kernels {
    using fake_kernels::finish;
    using fake_kernels::reduce;
};
using host_ordered = stream_communicator<fake_cuda_streams, kernels_of_both, fake_communicator>;

void run_on_several_devices(int ranks, progress by, std::chrono::milliseconds deadline,
                            const std::function<void(fake_communicator&, host_ordered&)>& body) {
    const reserved_port at;
    run_ranks(ranks, [&](int rank) {
        fake_communicator world{fake_ipc{identity(rank, ranks, at), {.device = rank % 2}}, by};
        world.default_deadline(deadline);
        host_ordered calls(fake_cuda_streams(rank % 2), world);
        expect(calls.path() == kernels::stream_path::host, "the host makes the calls");
        body(world, calls);
    });
}

} // namespace

TEST_CASE("ranks on several devices allreduce in the order of their streams, by the host") {
    const progress by = GENERATE(progress::in_calls, progress::by_waiters);
    CHECK_NOTHROW(run_on_several_devices(3, by, 30s, [](fake_communicator& world, host_ordered& calls) {
        const fake_cuda_streams device(world.rank() % 2);
        auto stream = device.make_stream();
        std::atomic<std::size_t> wrong{0};
        const auto data = calls.allocate<float>(4000);
        std::minstd_rand random(3);
        for (std::size_t number = 0; number < 12; ++number) {
            const auto part = std::span(data.data(), 1 + random() % 4000);
            produce(part, world.rank(), number, &stream);
            calls.allreduce(part, sum, &stream);
            consume(part, world.size(), number, &stream, wrong);
        }
        calls.synchronize(&stream);
        expect(wrong == 0, std::to_string(wrong) + " elements are wrong");
    }));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("a rank on another device that stays away from a call on a stream is named") {
    std::atomic<int> told{0};
    CHECK_NOTHROW(
        run_on_several_devices(2, progress::by_waiters, 100ms, [&](fake_communicator& world, host_ordered& calls) {
            if (world.rank() == 1) {
                while (told == 0) std::this_thread::sleep_for(1ms);
                return;
            }
            const fake_cuda_streams device(0);
            auto stream = device.make_stream();
            const auto data = calls.allocate<float>(10);
            const auto f = fault_of([&] { calls.allreduce(data, sum, &stream); });
            ++told;
            expect(f.why == cause::timeout && f.peer == 1, "rank 1 is late");
            expect(fault_of([&] { calls.allreduce(data, sum, &stream); }).why == cause::timeout, "it says so again");
        }));
}

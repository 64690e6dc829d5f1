// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "device_results.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"
#include "support/world.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

void run_device_world(int ranks, const std::function<void(const fake_communicator&)>& body) {
    const reserved_port at;
    run_ranks(ranks, [&](int rank) {
        const fake_communicator world{fake_ipc{identity(rank, ranks, at)}};
        body(world);
    });
}

} // namespace

TEST_CASE("collectives on device memory give the bits that they give on the host's") {
    const int ranks = threads_watched ? 3 : GENERATE(2, 3, 4);
    CHECK_NOTHROW(run_device_world(ranks, [](const fake_communicator& world) {
        fake_executor e(fake_cuda(-1), world);
        for (const auto& how : algorithm::all(2)) {
            expect_as_on_the_host<float>(world, e, how, 100, sum);
            expect_as_on_the_host<float>(world, e, how, 1, average);
        }
        expect_as_on_the_host<std::int32_t>(world, e, algorithm::ring{}, 20'003, maximum);
        expect_as_on_the_host<float>(world, e, algorithm::double_binary_tree{}, 70'001, average);
    }));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("a call on device memory without an executor is refused, prepared or not") {
    CHECK_NOTHROW(run_device_world(2, [](const fake_communicator& world) {
        const placed_elements<float> data(world, place::slab, 10), plain(world, place::device, 10);
        std::vector<float> of_host(10);
        const auto refused = [&](const std::function<void()>& call) {
            const auto f = fault_of(call);
            expect(f.why == cause::invalid_argument && f.remedy.find("with_executor") != std::string::npos, f.detail);
        };
        refused([&] { world.allreduce(data.seen(), sum); });
        refused([&] { world.allreduce(of_host, plain.seen(), sum); });
        refused([&] { auto p = world.prepare().allreduce(plain.seen(), sum); });
        world.allreduce(of_host, sum);
    }));
}

TEST_CASE("a premultiplied sum of device memory is refused before it begins; of the host's it is done") {
    CHECK_NOTHROW(run_device_world(2, [](const fake_communicator& world) {
        fake_executor e(fake_cuda(-1), world);
        const auto handle = world.with_executor(e);
        const placed_elements<float> on_device(world, place::slab, 10);
        const auto f = fault_of([&] { handle.allreduce(on_device.seen(), premultiplied_sum(2)); });
        expect(f.why == cause::invalid_argument && f.detail.find("memory of a GPU") != std::string::npos, f.detail);
        expect(f.remedy.find("multiply the data by a kernel of yours") != std::string::npos, f.remedy);
        std::vector<float> of_host(10, 1);
        handle.allreduce(of_host, premultiplied_sum(world.rank() + 1));
        expect(of_host[9] == 3, "of the host");
    }));
}

TEST_CASE("a handle with a device's executor takes values and vectors of the host as well") {
    CHECK_NOTHROW(run_device_world(3, [](const fake_communicator& world) {
        fake_executor e(fake_cuda(-1), world);
        const auto handle = world.with_executor(e);
        expect(handle.allreduce(1.0F + static_cast<float>(world.rank()), sum) == 6.0F, "a value");
        std::vector<float> data(1000, 1.0F);
        const placed_elements<float> on_device(world, place::slab, 1000);
        std::fill(on_device.there().begin(), on_device.there().end(), 2.0F);
        for (int i = 0; i < 3; ++i) { // in turn: scratch of one is none for the other
            handle.allreduce(data, sum, algorithm::butterfly{});
            handle.allreduce(on_device.seen(), sum, algorithm::butterfly{});
        }
        expect(data[999] == 27.0F && on_device.there()[999] == 54.0F, "vectors");
    }));
}

TEST_CASE("a call that no kernel can do, or whose data lies on both sides, fails everywhere in plain words") {
    for (const bool on_both : {false, true}) {
        CAPTURE(on_both);
        CHECK_NOTHROW(run_device_world(2, [&](const fake_communicator& world) {
            fake_executor e(fake_cuda(-1), world);
            const auto handle = world.with_executor(e);
            const placed_elements<float> data(world, place::slab, 10);
            std::vector<float> of_host(10);
            const auto f = fault_of([&] {
                if (on_both)
                    handle.allreduce(of_host, data.seen(), sum, algorithm::butterfly{});
                else
                    handle.allreduce(data.seen(), minimum, algorithm::butterfly{});
            });
            expect(f.why == cause::aborted, f.detail);
            expect(f.detail.find(on_both ? "another is not" : "no kernel") != std::string::npos, f.detail);
        }));
    }
}

TEST_CASE("prepared and overlapping calls work on device memory") {
    CHECK_NOTHROW(run_device_world(2, [](const fake_communicator& world) {
        fake_executor e(fake_cuda(-1), world);
        const auto handle = world.with_executor(e);
        const placed_elements<float> one(world, place::slab, 30'000), other(world, place::device, 70'000);
        std::fill(one.there().begin(), one.there().end(), 1.0F);
        std::fill(other.there().begin(), other.there().end(), 1.0F);
        auto plan = handle.prepare().allreduce(one.seen(), sum);
        for (int i = 0; i < 5; ++i) {
            auto r = handle.async().allreduce(other.seen(), sum);
            plan.run();
            r.wait();
        }
        expect(one.there()[29'999] == 32.0F && other.there()[69'999] == 32.0F, "both are right");
    }));
}

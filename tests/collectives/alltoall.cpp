// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::test::exchanging {
namespace {

/// Element i of the block from one rank to another.
int element(int from, int to, std::size_t i) { return 1'000'000 * from + 1000 * to + static_cast<int>(i); }

std::vector<int> blocks_from(const communicator& world, std::size_t block) {
    std::vector<int> all;
    for (int to = 0; to < world.size(); ++to)
        for (std::size_t i = 0; i < block; ++i) all.push_back(element(world.rank(), to, i));
    return all;
}
std::vector<int> blocks_to(const communicator& world, std::size_t block) {
    std::vector<int> all;
    for (int from = 0; from < world.size(); ++from)
        for (std::size_t i = 0; i < block; ++i) all.push_back(element(from, world.rank(), i));
    return all;
}

void exchange(const communicator& world, std::size_t block, const auto&... how) {
    const auto in = blocks_from(world, block), wanted = blocks_to(world, block);
    std::vector<int> out(in.size(), -1), both = in;
    world.alltoall(in, out, how...);
    expect(out == wanted, "the blocks for this rank, in rank order");
    world.alltoall(both, both, how...);
    expect(both == wanted, "in place");
    out.assign(in.size(), -1);
    both = in;
    auto& to = world.rank() % 2 == 0 ? out : both;
    world.alltoall(world.rank() % 2 == 0 ? in : both, to, how...);
    expect(to == wanted, "in place on some ranks");
}

} // namespace

TEST_CASE("an alltoall brings each rank its blocks in rank order, in place or not, also where ranks differ in it") {
    for (const int size : {1, 2, 3, 4, 7, 8})
        CHECK_NOTHROW(run_world(size, [](const communicator& world) {
            for (const std::size_t block : {0, 1, 13, 5000}) {
                exchange(world, block);
                for (const auto& how : algorithm::all(schedule::operation::alltoall)) exchange(world, block, how);
            }
        }));
}

TEST_CASE("an alltoall twice brings all back, started and prepared") {
    CHECK_NOTHROW(run_world(5, [](const communicator& world) {
        const auto before = blocks_from(world, 3);
        std::vector<int> there(before.size()), back(before.size());
        auto exchange = world.prepare().alltoall(before, there);
        for (int k = 0; k < 3; ++k) {
            exchange.run();
            auto request = world.async().alltoall(there, back);
            request.wait();
            expect(back == before, "as before");
        }
    }));
}

TEST_CASE("sizes and buffers that do not fit an alltoall are told") {
    CHECK_NOTHROW(run_world(2, [](const communicator& world) {
        if (world.rank() != 0) return;
        std::vector<int> three(3), four(4), six(6);
        const auto detail_of = [&](auto& in, auto& out) {
            const auto f = fault_of([&] { world.alltoall(in, out); });
            return f.why == cause::invalid_argument ? f.detail : "no fault";
        };
        expect(detail_of(three, three).find("a multiple of the 2 ranks") != std::string::npos, "no blocks");
        expect(detail_of(four, six).find("4 elements and the output 6") != std::string::npos, "unequal");
        const auto first = std::span(six).first(4), last = std::span(six).last(4);
        expect(detail_of(first, last).find("overlap") != std::string::npos, "overlap in part");
    }));
}

TEST_CASE("blocks of other lengths on some rank are a mismatch") {
    CHECK_THROWS_WITH(run_world(3,
                                [](const communicator& world) {
                                    const std::vector<int> in(world.rank() == 2 ? 6 : 3);
                                    std::vector<int> out(in.size());
                                    const auto f = fault_of([&] {
                                        world.alltoall(in, out);
                                        world.barrier();
                                    });
                                    expect(f.why == cause::mismatch, f.detail);
                                    throw std::runtime_error("as told"); // which ends this world
                                }),
                      Catch::Contains("as told"));
}

} // namespace tutti::test::exchanging

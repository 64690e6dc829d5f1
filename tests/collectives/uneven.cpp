// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::test::unequal_parts {
namespace {

using counts = std::vector<int>;

/// A count for each rank, the same on all of them; many are 0.
counts drawn(int ranks, unsigned seed) {
    std::minstd_rand dice(seed);
    counts all;
    for (int r = 0; r < ranks; ++r) all.push_back(dice() % 3 == 0 ? 0 : static_cast<int>(dice() % 3000));
    return all;
}
std::size_t sum_of(const counts& all, int first = 0, int last = -1) {
    const auto end = last < 0 ? all.end() : all.begin() + last;
    return static_cast<std::size_t>(std::accumulate(all.begin() + first, end, 0));
}
std::size_t own(const counts& all, const communicator& world) {
    return static_cast<std::size_t>(all[static_cast<std::size_t>(world.rank())]);
}
/// This rank's part of a vector of all parts.
std::span<int> part_of(std::vector<int>& whole, const counts& all, const communicator& world) {
    return std::span(whole).subspan(sum_of(all, 0, world.rank()), own(all, world));
}

/// Element i of what rank `from` has for rank `to`.
int element(int from, int to, std::size_t i) { return 10'000'000 * from + 10'000 * to + static_cast<int>(i); }
std::vector<int> data(int from, int to, std::size_t count) {
    std::vector<int> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(element(from, to, i));
    return all;
}
/// The parts of all ranks, one after the other.
std::vector<int> parts(const counts& all, auto&& part) {
    std::vector<int> whole;
    for (int r = 0; r < static_cast<int>(all.size()); ++r)
        for (const int x : part(r, static_cast<std::size_t>(all[static_cast<std::size_t>(r)]))) whole.push_back(x);
    return whole;
}

void all_gather(const communicator& world, const counts& all, const auto&... how) {
    const auto wanted = parts(all, [](int r, std::size_t n) { return data(r, 0, n); });
    const auto mine = data(world.rank(), 0, own(all, world));
    std::vector<int> out(wanted.size(), -1), in_place(wanted.size(), -1);
    world.allgatherv(mine, out, all, how...);
    expect(out == wanted, "allgatherv");
    const auto here = part_of(in_place, all, world);
    std::copy(mine.begin(), mine.end(), here.begin());
    world.allgatherv(here, in_place, all, how...);
    expect(in_place == wanted, "allgatherv in place");
}

void reduce_and_scatter(const communicator& world, const counts& all, const auto&... how) {
    std::vector<int> in(sum_of(all)), out(own(all, world), -1);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) * (world.rank() + 1);
    const int factor = world.size() * (world.size() + 1) / 2;
    std::vector<int> wanted(out.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = static_cast<int>(sum_of(all, 0, world.rank()) + i) * factor;
    world.reduce_scatterv(in, out, all, sum, how...);
    expect(out == wanted, "reduce_scatterv");
    const auto here = part_of(in, all, world);
    world.reduce_scatterv(in, here, all, sum, how...);
    expect(std::equal(here.begin(), here.end(), wanted.begin(), wanted.end()), "reduce_scatterv in place");
}

void there_and_back(const communicator& world, int root, const counts& all, const auto&... how) {
    const bool is_root = world.rank() == root;
    auto whole = is_root ? parts(all, [](int r, std::size_t n) { return data(r, 1, n); }) : std::vector<int>{};
    const auto wanted = data(world.rank(), 1, own(all, world));
    const counts none, &mine = is_root ? all : none;
    std::vector<int> part(wanted.size(), -1), back(whole.size(), -1);
    world.scatterv(whole, mine, part, root, how...);
    expect(part == wanted, "scatterv");
    world.gatherv(part, back, mine, root, how...);
    expect(back == whole, "gatherv");
    const auto here = is_root ? part_of(whole, all, world) : std::span(part);
    world.scatterv(whole, mine, here, root, how...);
    expect(std::equal(here.begin(), here.end(), wanted.begin(), wanted.end()), "scatterv in place");
    world.gatherv(here, whole, mine, root, how...);
    expect(whole == back, "gatherv in place");
}

void exchange(const communicator& world, unsigned seed, const auto&... how) {
    counts sent, received;
    for (int q = 0; q < world.size(); ++q) {
        const auto index = [](int r) { return static_cast<std::size_t>(r); };
        sent.push_back(drawn(world.size(), seed + static_cast<unsigned>(world.rank()))[index(q)]);
        received.push_back(drawn(world.size(), seed + static_cast<unsigned>(q))[index(world.rank())]);
    }
    const auto in = parts(sent, [&](int to, std::size_t n) { return data(world.rank(), to, n); });
    const auto wanted = parts(received, [&](int from, std::size_t n) { return data(from, world.rank(), n); });
    std::vector<int> out(wanted.size(), -1);
    world.alltoallv(in, sent, out, received, how...);
    expect(out == wanted, "alltoallv");
}

fault fault_of_two(auto&& call) {
    fault found;
    CHECK_THROWS(run_world(2, [&](const communicator& world) {
        const fault f = fault_of([&] {
            call(world);
            world.barrier();
        });
        if (world.rank() == 0) found = f;
        throw std::runtime_error("ends this world");
    }));
    return found;
}

} // namespace

TEST_CASE("every operation with parts of unequal length, by every algorithm, for random lengths") {
    for (const int size : {1, 2, 3, 4, 7})
        CHECK_NOTHROW(run_world(size, [](const communicator& world) {
            for (unsigned seed = 1; seed <= 4; ++seed) {
                const counts all = drawn(world.size(), 100 * seed);
                all_gather(world, all);
                reduce_and_scatter(world, all);
                exchange(world, 100 * seed);
                for (const auto& how : algorithm::all(schedule::operation::allgather)) all_gather(world, all, how);
                for (const auto& how : algorithm::all(schedule::operation::reduce_scatter))
                    reduce_and_scatter(world, all, how);
                exchange(world, 100 * seed, algorithm::direct{});
                for (int root = 0; root < world.size(); ++root) {
                    there_and_back(world, root, all);
                    there_and_back(world, root, all, algorithm::naive{});
                }
            }
        }));
}

TEST_CASE("calls with unequal parts are started and prepared, and keep their counts") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        std::vector<int> out(6), mine = data(world.rank(), 0, static_cast<std::size_t>(world.rank()) + 1);
        const auto gather_all = [&] { return world.prepare().allgatherv(mine, out, counts{1, 2, 3}); };
        const auto wanted = parts({1, 2, 3}, [](int r, std::size_t n) { return data(r, 0, n); });
        auto plan = gather_all();
        for (int k = 0; k < 3; ++k) {
            out.assign(6, -1);
            plan.run();
            expect(out == wanted, "prepared");
        }
        auto request = world.async().gatherv(mine, out, std::vector<std::size_t>{1, 2, 3}, 1);
        request.wait();
        expect(out == wanted, "started");
    }));
}

TEST_CASE("counts that do not fit are told before anything is sent") {
    CHECK_NOTHROW(run_world(2, [](const communicator& world) {
        if (world.rank() != 0) return;
        std::vector<int> two(2), five(5);
        const auto refused = [&](auto&& call, const std::string& why) {
            const fault f = fault_of(call);
            expect(f.why == cause::invalid_argument && f.detail.find(why) != std::string::npos, f.detail);
        };
        refused([&] { world.allgatherv(two, five, counts{2, 3, 0}); }, "3 counts are given, for 2 ranks");
        refused([&] { world.allgatherv(two, five, counts{2, 4}); }, "add up to 6 elements where the output has 5");
        refused([&] { world.allgatherv(two, five, counts{3, 2}); }, "part has 3 elements where the input has 2");
        refused([&] { world.allgatherv(two, five, counts{2, -1}); }, "negative");
        refused([&] { world.reduce_scatterv(five, two, counts{3, 2}, sum); }, "where the output has 2");
        refused([&] { world.gatherv(two, five, counts{}, 0); }, "0 counts are given");
        refused([&] { world.scatterv(five, counts{2, 3}, two, 2); }, "no root 2");
        refused([&] { world.alltoallv(two, counts{0, 2}, five, counts{2, 3}); }, "sends itself 0 elements");
        const auto huge = std::numeric_limits<std::int64_t>::max();
        refused([&] { world.allgatherv(two, five, std::vector<std::int64_t>{huge, huge}); }, "memory can hold");
        refused([&] { world.alltoallv(five, counts{2, 3}, five, counts{2, 3}); }, "overlap");
    }));
}

TEST_CASE("an empty part may lie anywhere") {
    CHECK_NOTHROW(run_world(2, [](const communicator& world) {
        std::vector<int> arena{1, 2, 3, 4};
        const bool sends = world.rank() == 0;
        const auto in = std::span(arena).first(sends ? 4 : 0),
                   out = std::span(arena).subspan(sends ? 2 : 0, sends ? 0 : 4);
        world.alltoallv(in, sends ? counts{0, 4} : counts{0, 0}, out, sends ? counts{0, 0} : counts{4, 0});
        expect(arena == std::vector<int>{1, 2, 3, 4}, "sent");
    }));
}

TEST_CASE("an algorithm in which ranks hand on parts of lengths that they do not know is refused on all ranks") {
    CHECK_NOTHROW(run_world(4, [](const communicator& world) {
        std::vector<int> one(1), four(4);
        const counts all(4, 1);
        const fault f = fault_of([&] { world.gatherv(one, four, all, 0, algorithm::binomial_tree{}); });
        expect(f.why == cause::invalid_argument && f.detail.find("hand on parts") != std::string::npos, f.detail);
        expect(f.detail.find("binomial_tree") != std::string::npos, f.detail);
    }));
}

TEST_CASE("a part of another length than its receiver expects is a mismatch, as are other counts") {
    const auto is_told = [](const fault& f, const std::string& one, const std::string& other) {
        INFO(f.detail);
        CHECK(f.why == cause::mismatch);
        CHECK(f.detail.find(one) != std::string::npos);
        CHECK(f.detail.find(other) != std::string::npos);
        const bool counts_differ = f.detail.find(", which expects ") != std::string::npos;
        CHECK((f.remedy.find("their counts differ") != std::string::npos) == counts_differ);
    };
    is_told(fault_of_two([](const communicator& world) {
                std::vector<int> mine(4), whole(8);
                const counts all{4, world.rank() == 0 ? 3 : 4};
                world.gatherv(mine, std::span(whole).first(sum_of(all)), all, 0);
            }),
            "gatherv(naive) of 7 int32 in parts of 4, 3, root 0", "rank 1 sends 4 elements to rank 0, which expects 3");
    is_told(fault_of_two([](const communicator& world) {
                std::vector<int> mine(4), whole(8);
                const counts all{4, world.rank() == 0 ? 3 : 4};
                world.scatterv(std::span(whole).first(sum_of(all)), all, mine, 0);
            }),
            "scatterv(naive) of 7 int32 in parts of 4, 3, root 0",
            "rank 0 sends 3 elements to rank 1, which expects 4");
    is_told(fault_of_two([](const communicator& world) { // rank 0 sends 3 elements to rank 1, which expects 2
                std::vector<int> in(5), out(world.rank() == 0 ? 4 : 5);
                world.alltoallv(in, counts{2, 3}, out, world.rank() == 0 ? counts{2, 2} : counts{2, 3});
            }),
            "called alltoallv(", "rank 0 sends 3 elements to rank 1, which expects 2");
    is_told(fault_of_two([](const communicator& world) { // the same, in calls that read alike
                std::vector<int> in(5), out(5);
                world.alltoallv(in, counts{2, 3}, out, counts{2, 3});
            }),
            "of 5 int32 in blocks, sent 2, 3, received 2, 3", ", which expects ");
    is_told(fault_of_two([](const communicator& world) {
                std::vector<int> mine(2), whole(4);
                const counts all = world.rank() == 0 ? counts{2, 2} : counts{1, 2};
                world.allgatherv(std::span(mine).first(own(all, world)), std::span(whole).first(sum_of(all)), all);
            }),
            "of 4 int32 in parts of 2, 2", "of 3 int32 in parts of 1, 2");
}

} // namespace tutti::test::unequal_parts

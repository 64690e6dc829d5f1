// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>
#include <collectives/communicator.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

using namespace tutti::test;

namespace {

/// The world's ranks that take part, found by communicating.
std::vector<int> members_of(const communicator& group, const communicator& world) {
    std::vector<int> mine{world.rank()}, all(static_cast<std::size_t>(group.size()));
    group.allgather(mine, all);
    return all;
}

} // namespace

TEST_CASE("split gives each color its communicator, ordered by key, then by rank") {
    for (const int size : {1, 2, 5, 8})
        run_world(size, [size](communicator& world) {
            const int color = world.rank() % 2 == 0 ? -7 : 3;
            const auto backwards = world.split(color, -world.rank());
            std::vector<int> expected;
            for (int r = size - 1; r >= 0; --r)
                if (r % 2 == world.rank() % 2) expected.push_back(r);
            expect(members_of(backwards, world) == expected, "the color's ranks by descending rank");
            expect(backwards.world_rank(backwards.rank()) == world.rank(), "where this rank stands");
            const auto same = world.split(0);
            expect(same.rank() == world.rank() && same.size() == size, "equal keys keep the order");
            const auto alone = world.split(world.rank());
            expect(alone.size() == 1 && alone.rank() == 0, "a color of one's own");
            std::vector<int> data{5};
            alone.allreduce(data, tutti::sum);
            expect(data[0] == 5, "a communicator of one works");
        });
}

TEST_CASE("splits of splits and duplicates of them work side by side") {
    run_world(8, [](communicator& world) {
        const auto half = world.split(world.rank() / 4);
        const auto pair = half.split(half.rank() / 2);
        const auto twin = pair.duplicate();
        const auto odd = half.split(half.rank() % 2);
        for (int k = 0; k < 50; ++k) {
            std::vector<int> a{world.rank()}, b = a, c = a, d = a, e = a;
            twin.allreduce(a, tutti::sum);
            odd.allreduce(b, tutti::sum);
            pair.allreduce(c, tutti::sum);
            world.allreduce(d, tutti::sum);
            half.allreduce(e, tutti::sum);
            const int first_of_half = world.rank() / 4 * 4, first_of_pair = world.rank() / 2 * 2;
            expect(a[0] == 2 * first_of_pair + 1 && c[0] == a[0], "the pair's sum");
            expect(b[0] == 2 * first_of_half + 2 * (world.rank() % 2) + 2, "the sum of every other rank");
            expect(d[0] == 28 && e[0] == 4 * first_of_half + 6, "the sums of all and of the half");
        }
    });
}

TEST_CASE("a communicator's result is there although other members have dropped it already") {
    run_world(4, [](communicator& world) {
        for (int k = 0; k < 100; ++k) {
            std::vector<int> small(10, world.rank() == 0 ? k : -1), large(5000, world.rank());
            {
                const auto passing = world.duplicate();
                passing.broadcast(small, 0, tutti::algorithm::binomial_tree{});
            }
            {
                const auto passing = world.split(0);
                passing.allreduce(large, tutti::sum, tutti::algorithm::ring{});
            }
            expect(small[9] == k && large[4999] == 6, "both results");
        }
    });
}

TEST_CASE("calls on crossed communicators may be waited for in any order") {
    run_world(4, [](communicator& world) {
        const auto left = world.duplicate(), right = world.duplicate();
        const auto row = world.split(world.rank() / 2), column = world.split(world.rank() % 2);
        for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}})
            for (int k = 0; k < 10; ++k) {
                std::vector<int> a(count, 1), b(count, 1), c(count, 1), d(count, 1);
                auto ra = left.async().allreduce(a, tutti::sum), rb = right.async().allreduce(b, tutti::sum);
                auto rc = row.async().allreduce(c, tutti::sum), rd = column.async().allreduce(d, tutti::sum);
                std::vector<request*> order{&ra, &rb, &rc, &rd};
                std::rotate(order.begin(), order.begin() + world.rank(), order.end());
                for (request* r : order) r->wait();
                expect(a[count - 1] == 4 && b[count - 1] == 4 && c[count - 1] == 2 && d[count - 1] == 2, "all results");
            }
    });
}

TEST_CASE("a handle is copied as the same communicator, with a deadline of its own") {
    run_world(2, [](communicator& world) {
        const auto before = world.default_deadline();
        auto hasty = world.with_deadline(std::chrono::seconds(5));
        expect(hasty.default_deadline() == std::chrono::seconds(5), "the copy's deadline");
        expect(world.default_deadline() == before, "and not the original's");
        expect(hasty.split(0).default_deadline() == std::chrono::seconds(5), "what is made from it has it too");
        std::vector<int> data{1};
        (world.rank() == 0 ? world : hasty).allreduce(data, tutti::sum);
        expect(data[0] == 2, "one communicator");
    });
    tutti::communicator fresh{tutti::transport::memory{tutti::transport::memory_world::create(1), 0}};
    CHECK(fresh.default_deadline() == std::chrono::seconds(30));
}

TEST_CASE("TUTTI_DEADLINE is the deadline of worlds that set none, and nothing else than a number of seconds") {
    struct variable {
        explicit variable(const char* value) { ::setenv("TUTTI_DEADLINE", value, 1); }
        ~variable() { ::unsetenv("TUTTI_DEADLINE"); }
    };
    const auto made = [] {
        return communicator{tutti::transport::memory{tutti::transport::memory_world::create(1), 0}};
    };
    CHECK(made().default_deadline() == std::chrono::seconds(30));
    for (const auto& [value, seconds] : {std::pair("600", 600), {"", 30}, {"1", 1}}) {
        const variable set(value);
        const auto world = made();
        CHECK(world.default_deadline() == std::chrono::seconds(seconds));
        CHECK(world.duplicate().with_deadline(std::chrono::hours(1)).split(0).default_deadline() ==
              std::chrono::hours(1));
    }
    for (const char* value : {"0", "-1", "1.5", "5s", " 5", "soon", "99999999999999999999"}) {
        const variable set(value);
        const auto told = fault_of([&] { static_cast<void>(made()); });
        CHECK(told.why == tutti::cause::invalid_argument);
        CHECK(told.detail == std::string("TUTTI_DEADLINE is \"") + value +
                                 "\": it must be a whole number of seconds from 1 to 4294967295");
    }
}

TEST_CASE("the longest deadline of any unit is none") {
    run_world(2, [](communicator& world) {
        for (auto patient :
             {world.with_deadline(std::chrono::seconds::max()), world.with_deadline(std::chrono::hours::max()),
              world.with_deadline(std::chrono::nanoseconds::max())}) {
            expect(patient.default_deadline() == std::chrono::nanoseconds::max(), "none");
            std::vector<int> data{1};
            patient.allreduce(data, tutti::sum);
            expect(data[0] == 2, "a call");
        }
        world.default_deadline(std::chrono::seconds::max());
        world.barrier();
    });
}

TEST_CASE("children outlive their world") {
    run_ranks(3, [fabric = tutti::transport::memory_world::create(3)](int rank) {
        std::optional<communicator> world{tutti::transport::memory{fabric, rank}};
        const auto child = world->split(0);
        world.reset();
        std::vector<int> data{1};
        child.allreduce(data, tutti::sum);
        expect(data[0] == 3, "the child's sum");
        child.barrier();
    });
}

TEST_CASE("an algorithm that may be none is taken, or leaves the choice to the library") {
    run_world(4, [](communicator& world) {
        std::optional<tutti::algorithm::any> how;
        std::vector<int> data(100, 1), parts(400);
        world.allreduce(data, tutti::sum, how);
        how = tutti::algorithm::ring{};
        world.allreduce(data, tutti::sum, how);
        world.allgather(data, parts, how);
        expect(data[99] == 16 && parts[399] == 16, "both give the sum");
        how = tutti::algorithm::double_binary_tree{}; // which has no allgather
        expect(fault_of([&] { world.allgather(data, parts, how); }).why == tutti::cause::invalid_argument,
               "it is taken");
    });
}

// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <cstdint>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;
using tutti::schedule::operation;

namespace {

struct extremes {
    float low, high;
    std::int64_t where;
};
struct join {
    extremes operator()(const extremes& a, const extremes& b) const noexcept {
        return {std::min(a.low, b.low), std::max(a.high, b.high), b.high > a.high ? b.where : a.where};
    }
};

/// A product of 2x2 matrices modulo 2^32 spells the sequence of its factors, like a string.
struct matrix {
    std::uint32_t a, b, c, d;
    friend bool operator==(const matrix&, const matrix&) = default;
};
matrix times(const matrix& x, const matrix& y) noexcept {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}
struct multiplies {
    matrix operator()(const matrix& x, const matrix& y) const noexcept { return times(x, y); }
};
constexpr tutti::non_commutative in_order{multiplies{}};

matrix factor(int rank, std::size_t i) {
    const auto r = static_cast<std::uint32_t>(rank), k = static_cast<std::uint32_t>(i);
    return {r + 1, k % 7 + 2, 3, 2 * r + k};
}
matrix product_of(int size, std::size_t i) {
    matrix m = factor(0, i);
    for (int r = 1; r < size; ++r) m = times(m, factor(r, i));
    return m;
}
std::vector<matrix> factors(int rank, std::size_t count) {
    std::vector<matrix> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = factor(rank, i);
    return data;
}

} // namespace

TEST_CASE("records are reduced by a functor") {
    for (const int size : {1, 2, 5, 8})
        run_world(size, [size](communicator& world) {
            for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2)) {
                const auto r = static_cast<float>(world.rank());
                std::vector<extremes> data(99, {-r, r, world.rank()});
                world.allreduce(data, join{}, how);
                expect(data[98].low == static_cast<float>(1 - size) && data[98].where == size - 1, "the extremes");
            }
        });
}

TEST_CASE("lambdas with state, functions and function pointers are operators too") {
    run_world(5, [](communicator& world) {
        const auto modulus = static_cast<std::uint32_t>(1004 + world.size());
        const auto product = [&modulus](std::uint32_t a, std::uint32_t b) noexcept { return a * b % modulus; };
        std::vector<std::uint32_t> data(1000, static_cast<std::uint32_t>(world.rank() + 2));
        world.allreduce(data, product, algorithm::ring{});
        expect(data[999] == 720, "6!");
        const auto equal = factors(0, 3);
        matrix power = equal[2];
        for (int k = 1; k < 5; ++k) power = times(power, equal[2]);
        auto a = equal, b = equal, c = equal, d = equal;
        world.allreduce(a, times); // equal factors commute
        world.async().allreduce(b, times).wait();
        world.allreduce(c, &times);
        world.prepare().allreduce(d, times).run();
        expect(a[2] == power && b[2] == power && c[2] == power && d[2] == power, "the fifth power");
    });
}

TEST_CASE("a non_commutative operator keeps rank order, whatever algorithm is chosen") {
    for (const int size : {1, 2, 3, 5, 7, 8, 16})
        for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{9000}})
            run_world(size, [=](communicator& world) {
                auto data = factors(world.rank(), count);
                std::vector<matrix> out(count);
                world.allreduce(data, out, in_order);
                expect(out[count - 1] == product_of(size, count - 1), "allreduce");
                for (const int root : {0, size / 2, size - 1}) {
                    std::vector<matrix> at_root(count);
                    world.reduce(data, at_root, root, in_order);
                    expect(world.rank() != root || at_root[0] == product_of(size, 0), "reduce");
                }
                world.allreduce(data, in_order);
                expect(data == out, "allreduce in place");
            });
}

TEST_CASE("every algorithm that is proven to keep rank order does, and every other one is refused") {
    for (const int size : {2, 3, 5, 8})
        run_world(size, [size](communicator& world) {
            for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2)) {
                auto data = factors(world.rank(), 50);
                if (how.preserves_order(operation::allreduce, size, 0)) {
                    world.allreduce(data, in_order, how);
                    expect(data[49] == product_of(size, 49), "rank order by " + std::string(how.name()));
                } else {
                    const auto f = fault_of([&] { world.allreduce(data, in_order, how); });
                    expect(f.why == tutti::cause::invalid_argument, "an invalid argument");
                    expect(data == factors(world.rank(), 50), "nothing has changed");
                }
            }
            auto data = factors(world.rank(), 50);
            world.allreduce(data, in_order, algorithm::butterfly{}); // known when the program is built
            expect(data[49] == product_of(size, 49), "rank order by the butterfly");
        });
}

TEST_CASE("a non_commutative reduce_scatter is in rank order or refused") {
    for (const int size : {2, 3, 5})
        run_world(size, [size](communicator& world) {
            const auto data = factors(world.rank(), 10 * static_cast<std::size_t>(size));
            const auto first = static_cast<std::size_t>(world.rank()) * 10;
            for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce)) {
                std::vector<matrix> part(10);
                if (how.preserves_order(operation::reduce_scatter, size, 0)) {
                    world.reduce_scatter(data, part, in_order, how);
                    expect(part[9] == product_of(size, first + 9), "rank order by " + std::string(how.name()));
                } else {
                    const auto f = fault_of([&] { world.reduce_scatter(data, part, in_order, how); });
                    expect(f.why == tutti::cause::invalid_argument, "an invalid argument");
                }
            }
        });
}

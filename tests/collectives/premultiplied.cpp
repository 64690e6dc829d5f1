// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>

#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/reduction/complex.hpp>

#include "support/catch.hpp"
#include "support/typed_call.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::test::premultiplied_sums {
namespace {

using schedule::operation;

constexpr operation reductions[] = {operation::allreduce, operation::reduce_scatter, operation::reduce, operation::scan,
                                    operation::exscan};

/// What a rank puts in, and its factor.
template <class T>
struct operand {
    std::vector<T> data;
    T factor;
};
template <class T>
operand<T> drawn(int rank, std::size_t count, unsigned seed) {
    std::minstd_rand dice(1000 * seed + static_cast<unsigned>(rank) + 1);
    operand<T> mine{std::vector<T>(count), {}};
    const auto number = [&] {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(dice());
        else
            return T(static_cast<float>(dice() % 20'001) / 7000 - 1.4F);
    };
    mine.factor = number();
    for (T& x : mine.data) x = number();
    return mine;
}
/// The input as it travels.
template <class T>
std::vector<T> multiplied(const operand<T>& mine) {
    auto all = mine.data;
    for (T& x : all) x = static_cast<T>(x * mine.factor);
    return all;
}
template <class T>
auto premultiplied_by(T factor) {
    if constexpr (detail::is_narrow_float<T>)
        return premultiplied_sum(static_cast<float>(factor));
    else
        return premultiplied_sum(factor);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
/// A call's result, and that its input was not written but where that is the output.
template <class T>
std::vector<T> result_of(const communicator& world, operation o, const std::vector<T>& data, bool in_place, int root,
                         const auto& op, const auto& how) {
    auto in = data;
    std::vector<T> out(data.size());
    const result_place at = typed_call(world, o, std::span(in), std::span(out), in_place, root, op, how);
    const auto first = (at.in_input ? in : out).begin() + static_cast<std::ptrdiff_t>(at.first);
    const std::vector<T> result(first, first + static_cast<std::ptrdiff_t>(at.count));
    if (at.in_input) std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at.first), at.count, first);
    expect(same(in, data), "the input is not written");
    return result;
}

/// The sum of inputs that the caller has multiplied, by the same algorithm, gives the same bits. Ranks may differ in
/// what is in place.
template <class T>
void compare(const communicator& world, operation o, std::size_t count, unsigned seed, int root, const auto& how) {
    const auto mine = drawn<T>(world.rank(), count, seed);
    const auto op = premultiplied_by(mine.factor);
    for (const int places : {0, 1, 2}) {
        const bool in_place = places == 2 ? world.rank() % 2 == 0 : places == 1;
        const auto wanted = result_of(world, o, multiplied(mine), in_place, root, sum, how);
        expect(same(result_of(world, o, mine.data, in_place, root, op, how), wanted),
               std::string(name_of(o)) + " of " + std::to_string(count) + " " + type_name<T>() +
                   (in_place ? ", in place" : ""));
    }
}

/// Of unsigned numbers, which wrap, the serial result is the same in any order.
void compare_serially(const communicator& world, const std::vector<std::uint32_t>& found, std::size_t first,
                      std::size_t count, unsigned seed, int ranks) {
    std::vector<std::uint32_t> total(count);
    for (int r = 0; r < ranks; ++r) {
        const auto theirs = multiplied(drawn<std::uint32_t>(r, count, seed));
        for (std::size_t i = 0; i < count; ++i) total[i] += theirs[i];
    }
    const auto begin = total.begin() + static_cast<std::ptrdiff_t>(first);
    expect(std::equal(found.begin(), found.end(), begin), "the serial result on rank " + std::to_string(world.rank()));
}

void check_reduce_scatterv(const communicator& world, unsigned seed, const auto& how) {
    std::minstd_rand dice(seed);
    std::vector<int> counts;
    for (int r = 0; r < world.size(); ++r) counts.push_back(dice() % 3 == 0 ? 0 : static_cast<int>(dice() % 200));
    std::size_t before = 0, sum_of_all = 0;
    for (int r = 0; r < world.size(); ++r) {
        if (r == world.rank()) before = sum_of_all;
        sum_of_all += static_cast<std::size_t>(counts[static_cast<std::size_t>(r)]);
    }
    auto mine = drawn<std::uint32_t>(world.rank(), sum_of_all, seed);
    const auto data = mine.data;
    std::vector<std::uint32_t> out(static_cast<std::size_t>(counts[static_cast<std::size_t>(world.rank())]));
    world.reduce_scatterv(std::as_const(mine.data), out, counts, premultiplied_sum(mine.factor), how);
    compare_serially(world, out, before, sum_of_all, seed, world.size());
    expect(mine.data == data, "the input is not written");
    const auto here = std::span(mine.data).subspan(before, out.size());
    world.reduce_scatterv(mine.data, here, counts, premultiplied_sum(mine.factor), how);
    expect(std::equal(here.begin(), here.end(), out.begin()), "reduce_scatterv in place");
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(before), out.size(), here.begin());
    expect(mine.data == data, "in place no other part is written");
}

} // namespace

TEST_CASE("a premultiplied sum is the serial one, by every algorithm, on every rank its own factor") {
    for (int size = 1; size <= 9; ++size)
        run_world(size, [](const communicator& world) {
            unsigned seed = 1;
            for (const std::size_t part : {std::size_t{0}, std::size_t{1}, std::size_t{37}})
                for (const auto& how : algorithm::all(3)) {
                    const std::size_t count = part * static_cast<std::size_t>(world.size());
                    const auto mine = drawn<std::uint32_t>(world.rank(), count, ++seed);
                    const auto op = premultiplied_sum(mine.factor);
                    for (const operation o : reductions) {
                        if (!how.offers(o)) continue;
                        const std::size_t first =
                            o == operation::reduce_scatter ? part * static_cast<std::size_t>(world.rank()) : 0;
                        const int ranks = o == operation::scan     ? world.rank() + 1
                                          : o == operation::exscan ? world.rank()
                                                                   : world.size();
                        const int root = static_cast<int>(seed) % world.size();
                        for (const bool in_place : {false, true})
                            compare_serially(world, result_of(world, o, mine.data, in_place, root, op, how), first,
                                             count, seed, ranks);
                    }
                    if (how.offers(operation::reduce_scatter)) check_reduce_scatterv(world, seed, how);
                }
        });
}

TEST_CASE("a premultiplied sum has the bits of the sum of inputs that the caller has multiplied") {
    for (const int size : {1, 2, 3, 4, 7})
        run_world(size, [](const communicator& world) {
            const std::size_t count = 60 * static_cast<std::size_t>(world.size());
            unsigned seed = 1;
            for (const operation o : reductions) {
                for (const auto& how : algorithm::all(o, 2)) {
                    compare<float>(world, o, count, ++seed, world.size() / 2, how);
                    compare<bfloat16>(world, o, count, ++seed, world.size() / 2, how);
                }
                compare<double>(world, o, count, ++seed, 0, detail::automatic{});
                compare<float16>(world, o, count, ++seed, 0, detail::automatic{});
                compare<float8_e5m2>(world, o, count, ++seed, 0, detail::automatic{});
                compare<std::int8_t>(world, o, count, ++seed, 0, detail::automatic{});
            }
            compare<float>(world, operation::allreduce, 2'000'001, ++seed, 0, detail::automatic{});
        });
}

TEST_CASE("of one value, of complex numbers, and in rank order") {
    run_world(3, [](const communicator& world) {
        expect(world.allreduce(2, premultiplied_sum(world.rank() + 1)) == 12, "of one value");
        expect(world.reduce(2, 0, premultiplied_sum(world.rank() + 1)) == (world.rank() == 0 ? 12 : 2), "reduced");
        const std::complex<double> one(1, -1);
        expect(world.allreduce(one, premultiplied_sum(world.rank())) == std::complex<double>(3, -3), "complex");
        expect(world.allreduce(2.0, non_commutative(premultiplied_sum(0.5))) == 3, "in rank order");
    });
}

TEST_CASE("a premultiplied sum is started, and prepared with the factor of that moment") {
    run_world(4, [](const communicator& world) {
        std::vector<float> a(1000, 1), b(1000, 2), out(1000);
        float factor = 0.5F;
        auto plan = world.prepare().allreduce(b, out, premultiplied_sum(factor), algorithm::ring{});
        factor = 7;
        auto request = world.async().allreduce(a, premultiplied_sum(world.rank()));
        for (const float x : {1.0F, 2.0F}) {
            std::fill(b.begin(), b.end(), x);
            plan.run();
            expect(out[0] == 2 * x && out[999] == 2 * x && b[500] == x, "prepared");
        }
        request.wait();
        expect(a[0] == 6 && a[999] == 6, "started");
        for (const int f : {1, 2, 3}) { // the same plan and buffers
            std::fill(a.begin(), a.end(), 1.0F);
            world.allreduce(a, premultiplied_sum(f), algorithm::ring{});
            expect(a[3] == static_cast<float>(4 * f), "another factor");
        }
        world.allreduce(b, sum, algorithm::ring{});
        expect(b[0] == 8, "a sum behind it");
    });
}

TEST_CASE("a sum where another rank has a premultiplied one is a mismatch") {
    fault found;
    CHECK_THROWS(run_world(2, [&](const communicator& world) {
        std::vector<float> data(10, 1);
        const fault f = fault_of([&] {
            if (world.rank() == 0)
                world.allreduce(data, premultiplied_sum(2));
            else
                world.allreduce(data, sum);
            world.barrier();
        });
        if (world.rank() == 0) found = f;
        throw std::runtime_error("ends this world");
    }));
    INFO(found.detail);
    CHECK(found.why == cause::mismatch);
    CHECK(found.detail.find("of 10 float32, premultiplied_sum") != std::string::npos);
    CHECK(found.detail.find("of 10 float32, sum") != std::string::npos);
}

} // namespace tutti::test::premultiplied_sums

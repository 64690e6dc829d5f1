// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/allreduce.hpp>

#include "collectives/elements.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cstdint>

using namespace tutti::test;

namespace {

template <class... T>
void check_floats(communicator& world) {
    (check<T>(world, tutti::sum), ...);
    (check<T>(world, tutti::product), ...);
    (check<T>(world, tutti::minimum), ...);
    (check<T>(world, tutti::maximum), ...);
    (check<T>(world, tutti::average), ...);
}

/// Numbers on which the order of operations, signed zeros and NaNs with a payload show.
std::vector<float> awkward(int rank) {
    std::vector<float> data(997);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = value_of<float>(rank, i) * (i % 3 ? 1.0F : 1e-6F);
    if (rank % 2) data[5] = std::bit_cast<float>(0xffc12345U);
    data[6] = rank % 2 ? -0.0F : 0.0F;
    data[7] = -0.0F;
    return data;
}
std::vector<std::uint32_t> bits_of(const std::vector<float>& data) {
    std::vector<std::uint32_t> bits(data.size());
    std::memcpy(bits.data(), data.data(), 4 * data.size());
    return bits;
}

template <class Op>
void expect_same_bits(communicator& world, const Op& op) {
    for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 3)) {
        const std::string name = tutti::operator_name(op) + " by " + std::string(how.name());
        std::vector<float> out(997);
        world.allreduce(awkward(world.rank()), out, op, how);
        const auto mine = bits_of(out);
        auto first = mine;
        world.broadcast(first, 0);
        expect(mine == first, name + " gives all ranks the same bits");
        auto again = awkward(world.rank());
        world.allreduce(again, op, how);
        expect(bits_of(again) == mine, name + " gives them again, in place too");
        again = awkward(world.rank());
        world.async().allreduce(again, op, how).wait();
        expect(bits_of(again) == mine, name + " gives them again, non-blocking");
    }
}

} // namespace

TEST_CASE("floating-point types take every arithmetic operator, to the last bit") {
    run_world(5, check_floats<float, double, long double>);
}

TEST_CASE("all ranks get the same bits, and the same again, by every algorithm") {
    for (const int size : {1, 2, 3, 5, 8, 16})
        run_world(size, [](communicator& world) {
            expect_same_bits(world, tutti::sum);
            expect_same_bits(world, tutti::average);
            expect_same_bits(world, tutti::minimum);
            expect_same_bits(world, tutti::maximum);
        });
}

TEST_CASE("min and max take -0 for less than +0, and every NaN comes out as the same one") {
    for (const int size : {2, 5})
        run_world(size, [](communicator& world) {
            for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2)) {
                auto low = awkward(world.rank()), high = low;
                world.allreduce(low, tutti::minimum, how);
                world.allreduce(high, tutti::maximum, how);
                const auto lows = bits_of(low), highs = bits_of(high);
                expect(lows[6] == 0x80000000U && highs[6] == 0, "the zeros' signs");
                expect(highs[7] == 0x80000000U, "-0 alone stays");
                expect(lows[5] == 0x7fc00000U && highs[5] == 0x7fc00000U, "the canonical NaN");
            }
        });
}

TEST_CASE("an average is the sum times 1/P, rounded once more") {
    for (const int size : {1, 3, 7})
        run_world(size, [size](communicator& world) {
            const float scale = 1.0F / static_cast<float>(size);
            const auto part = static_cast<std::size_t>(world.rank()) * 10;
            for (const auto& how : tutti::algorithm::all(tutti::schedule::operation::allreduce, 2)) {
                std::vector<float> sums(70, static_cast<float>(world.rank()) + 0.1F), averages = sums;
                world.allreduce(sums, tutti::sum, how);
                world.allreduce(averages, tutti::average, how);
                expect(averages[69] == sums[69] * scale, "the average everywhere");
                if (how.offers(tutti::schedule::operation::reduce_scatter)) {
                    const auto in = std::span(averages).first(static_cast<std::size_t>(size) * 10);
                    std::fill(in.begin(), in.end(), static_cast<float>(world.rank()));
                    world.reduce_scatter(in, in.subspan(part, 10), tutti::average, how);
                    expect(averages[part + 9] == static_cast<float>(size * (size - 1) / 2) * scale, "that of a shard");
                }
                if (how.offers(tutti::schedule::operation::reduce)) {
                    std::vector<float> mine(5, static_cast<float>(world.rank())), at_root(5, -1);
                    world.reduce(mine, at_root, size - 1, tutti::average, how);
                    const float mean = static_cast<float>(size * (size - 1) / 2) * scale;
                    expect(at_root[4] == (world.rank() == size - 1 ? mean : -1), "the average at the root only");
                }
            }
        });
}
